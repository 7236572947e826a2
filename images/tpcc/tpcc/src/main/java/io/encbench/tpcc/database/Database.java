package io.encbench.tpcc.database;

import io.encbench.tpcc.output.Output;
import io.encbench.tpcc.settings.InvalidInput;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;

/**
 * Opens connections through the driver that the user named.
 *
 * <p>The driver is asked itself, not through DriverManager, so that another one that takes the same
 * URL cannot stand in for it unseen: with an encrypting driver that would be a plaintext run.
 */
public final class Database {
  private static final String DRIVERS =
      "org.postgresql.Driver, com.mysql.cj.jdbc.Driver, org.mariadb.jdbc.Driver or"
          + " io.encbench.jdbc.EncbenchDriver";

  /** MariaDB's number for it. */
  private static final int UNKNOWN_VARIABLE = 1193;

  private final Access access;
  private final Url url;
  private final Driver driver;
  private final Properties properties;

  private Database(Access access, Url url, Driver driver, Properties properties) {
    this.access = access;
    this.url = url;
    this.driver = driver;
    this.properties = properties;
  }

  /**
   * The database that the settings name; nothing is connected yet.
   *
   * @param output from now on masks what the driver repeats of a secret
   */
  public static Database of(Access access, Output output) throws InvalidInput {
    Driver driver = driver(access.driver());
    Url url = Url.of(access);
    String password =
        access.passwordFile() == null
            ? null
            : SecretFile.read("passwordFile", access.passwordFile());
    output.hide(Secrets.of(url, password, System.getenv()));
    try {
      if (!driver.acceptsURL(url.text())) {
        throw new InvalidInput(
            "the driver " + access.driver() + " does not take the URL in " + url.shown());
      }
    } catch (SQLException error) {
      throw new InvalidInput(
          "the URL in " + url.property() + " is not valid: " + error.getMessage());
    }
    Properties properties = DriverDefaults.beside(url.text());
    properties.setProperty("user", access.user());
    if (password != null) {
      properties.setProperty("password", password);
    }
    if (access.mekFile() != null) {
      properties.setProperty(Encbench.MEK_FILE, Encbench.mekFile(access.mekFile(), url));
    }
    return new Database(access, url, driver, properties);
  }

  /** A new connection without autocommit. */
  public Connection open() throws SQLException {
    return open((Properties) properties.clone());
  }

  /** The same to write the rows of a load through. */
  public Connection openForLoad() throws SQLException {
    return open(DriverDefaults.forLoad(properties));
  }

  private Connection open(Properties own) throws SQLException {
    Connection connection = driver.connect(url.text(), own);
    if (connection == null) {
      throw new SQLException("the driver did not take the URL in " + url.property(), "08001");
    }
    try {
      if (access.dialect() == Dialect.MARIADB) {
        readAsEver(connection);
      }
      connection.setAutoCommit(false);
    } catch (SQLException error) {
      // Whoever tries again and again would leave ever more of them open.
      close(connection);
      throw error;
    }
    return connection;
  }

  /**
   * Leaves MariaDB's isolation of snapshots off, as MySQL and MariaDB before 11.6.2 have it.
   *
   * <p>With it, a transaction that has read anything is refused a row that another has changed
   * since (error 1020). Payment and New-Order read before they lock their district, so most would
   * fail.
   */
  private static void readAsEver(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("SET SESSION innodb_snapshot_isolation = OFF");
    } catch (SQLException error) {
      if (error.getErrorCode() != UNKNOWN_VARIABLE) {
        throw error;
      }
    }
  }

  private static void close(Connection connection) {
    try {
      connection.close();
    } catch (SQLException ignored) {
      // Why it is of no use is said already.
    }
  }

  /** A new session on a connection of its own. */
  public Session session() throws SQLException {
    return new Session(
        open(),
        access.dialect(),
        Abilities.of(access.dialect(), url.text(), access.plainStatements()));
  }

  public Dialect dialect() {
    return access.dialect();
  }

  private static Driver driver(String name) throws InvalidInput {
    try {
      return Class.forName(name).asSubclass(Driver.class).getDeclaredConstructor().newInstance();
    } catch (ClassNotFoundException | NoClassDefFoundError error) {
      throw new InvalidInput(
          "there is no driver "
              + name
              + " on the class path: write "
              + DRIVERS
              + ", or name the folder of your driver's jar in TPCC_DRIVERS");
    } catch (ReflectiveOperationException | ClassCastException error) {
      throw new InvalidInput("the class " + name + " is not a JDBC driver: write " + DRIVERS);
    }
  }
}
