package io.encbench.jdbc;

import java.sql.Driver;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;

/** The drivers that ours goes around, known by name only. */
enum Inner {
  MYSQL("jdbc:mysql:", "com.mysql.cj.jdbc.Driver"),
  MARIADB("jdbc:mariadb:", "org.mariadb.jdbc.Driver"),
  POSTGRESQL("jdbc:postgresql:", "org.postgresql.Driver");

  private final String prefix;
  private final String className;

  Inner(String prefix, String className) {
    this.prefix = prefix;
    this.className = className;
  }

  /** The one whose URL this is. */
  static Inner of(String url) throws SQLException {
    for (Inner inner : values()) {
      if (url.startsWith(inner.prefix)) {
        return inner;
      }
    }
    throw new SQLNonTransientConnectionException(
        "after jdbc:encbench: there is no URL that is known here: write one that begins with"
            + " jdbc:mysql:, jdbc:mariadb: or jdbc:postgresql:",
        "08001");
  }

  String className() {
    return className;
  }

  /**
   * The driver, which is asked itself: through DriverManager another one might stand in for it.
   *
   * @throws SQLException if its jar is not there
   */
  Driver driver() throws SQLException {
    try {
      return Class.forName(className, true, loader())
          .asSubclass(Driver.class)
          .getDeclaredConstructor()
          .newInstance();
    } catch (ReflectiveOperationException | LinkageError error) {
      throw new SQLNonTransientConnectionException(
          "there is no " + className + ": put the jar of that driver on the class path",
          "08001",
          error);
    }
  }

  private static ClassLoader loader() {
    ClassLoader own = EncbenchDriver.class.getClassLoader();
    return own != null ? own : ClassLoader.getSystemClassLoader();
  }
}
