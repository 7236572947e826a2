package io.encbench.jdbc;

import java.sql.Driver;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.util.Locale;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The drivers that ours goes around, known by name only. */
enum Inner {
  MYSQL("jdbc:mysql:", "com.mysql.cj.jdbc.Driver"),
  MARIADB("jdbc:mariadb:", "org.mariadb.jdbc.Driver"),
  POSTGRESQL("jdbc:postgresql:", "org.postgresql.Driver");

  private static final Pattern ZONE =
      Pattern.compile("(?i)[?&](connectionTimeZone|serverTimezone|timezone)=([^&]*)");

  private static final Pattern NAMES =
      Pattern.compile("(?i)[?&](useOldAliasMetadataBehavior|blankTableNameMeta)=(true|yes|1)");

  private static final Pattern NO_TRUTHS = Pattern.compile("(?i)[?&]tinyInt1isBit=(false|no|0)");

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

  /** Refuses what would make other moments of a decrypted time than the driver's own. */
  void refuseOtherZones(String url, Properties properties) throws SQLException {
    if (this == POSTGRESQL) {
      return;
    }
    Matcher matcher = ZONE.matcher(url);
    while (matcher.find()) {
      refuseOtherZone(matcher.group(1), matcher.group(2));
    }
    for (String name : properties.stringPropertyNames()) {
      if (ZONE.matcher("?" + name + "=").matches()) {
        refuseOtherZone(name, properties.getProperty(name));
      }
    }
  }

  /** Refuse what hides the server's own names of tables and columns, to which values are bound. */
  void refuseOtherNames(String url, Properties properties) throws SQLException {
    if (NAMES.matcher(url).find()) {
      throw hidden();
    }
    for (String name : properties.stringPropertyNames()) {
      if (NAMES.matcher("?" + name + "=" + properties.getProperty(name)).matches()) {
        throw hidden();
      }
    }
  }

  /** Whether the driver takes {@code TINYINT(1)} for truth values. */
  static boolean hasTruths(String url, Properties properties) {
    return !NO_TRUTHS.matcher(url).find()
        && properties.stringPropertyNames().stream()
            .map(name -> "?" + name + "=" + properties.getProperty(name))
            .noneMatch(parameter -> NO_TRUTHS.matcher(parameter).find());
  }

  private static SQLException hidden() {
    return new SQLNonTransientConnectionException(
        "useOldAliasMetadataBehavior and blankTableNameMeta hide the names to which encrypted"
            + " values are bound: leave them out",
        "08001");
  }

  private static void refuseOtherZone(String name, String value) throws SQLException {
    if (!value.toUpperCase(Locale.ROOT).equals("LOCAL")) {
      throw new SQLNonTransientConnectionException(
          name
              + " is "
              + value
              + ", but encrypted times are read in the local zone only: write"
              + " LOCAL or leave it out",
          "08001");
    }
  }

  private static ClassLoader loader() {
    ClassLoader own = EncbenchDriver.class.getClassLoader();
    return own != null ? own : ClassLoader.getSystemClassLoader();
  }
}
