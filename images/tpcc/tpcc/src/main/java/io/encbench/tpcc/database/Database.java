package io.encbench.tpcc.database;

import io.encbench.tpcc.settings.InvalidInput;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.SQLException;
import java.util.Properties;

/**
 * Opens connections through the driver that the user named.
 *
 * <p>The driver is asked itself, not through DriverManager, so that another one that takes the same
 * URL cannot stand in for it unseen: with an encrypting driver that would be a plaintext run.
 */
public final class Database {
  private static final String DRIVERS =
      "org.postgresql.Driver, com.mysql.cj.jdbc.Driver or org.mariadb.jdbc.Driver";

  private final Access access;
  private final Driver driver;
  private final Properties properties;

  private Database(Access access, Driver driver, Properties properties) {
    this.access = access;
    this.driver = driver;
    this.properties = properties;
  }

  /** The database that the settings name; nothing is connected yet. */
  public static Database of(Access access) throws InvalidInput {
    Driver driver = driver(access.driver());
    try {
      if (!driver.acceptsURL(access.url())) {
        throw new InvalidInput(
            "the driver " + access.driver() + " does not take the URL in conn: " + access.url());
      }
    } catch (SQLException error) {
      throw new InvalidInput("the URL in conn is not valid: " + error.getMessage());
    }
    Properties properties = DriverDefaults.beside(access.url());
    properties.setProperty("user", access.user());
    if (access.passwordFile() != null) {
      properties.setProperty("password", Password.read(access.passwordFile()));
    }
    return new Database(access, driver, properties);
  }

  /** A new connection without autocommit. */
  public Connection open() throws SQLException {
    Connection connection = driver.connect(access.url(), (Properties) properties.clone());
    if (connection == null) {
      throw new SQLException("the driver did not take the URL in conn", "08001");
    }
    connection.setAutoCommit(false);
    return connection;
  }

  /** A new session on a connection of its own. */
  public Session session() throws SQLException {
    return new Session(
        open(), access.dialect(), Abilities.of(access.dialect(), access.plainStatements()));
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
