package io.encbench.tpcc.database;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;

/**
 * What a connection reports about itself.
 *
 * @param tls the version of TLS, or "none"
 * @param cipher the cipher suite, or "none"
 */
public record Facts(String server, String driver, String isolation, String tls, String cipher) {
  private static final Map<Integer, String> ISOLATIONS =
      Map.of(
          Connection.TRANSACTION_READ_UNCOMMITTED, "READ_UNCOMMITTED",
          Connection.TRANSACTION_READ_COMMITTED, "READ_COMMITTED",
          Connection.TRANSACTION_REPEATABLE_READ, "REPEATABLE_READ",
          Connection.TRANSACTION_SERIALIZABLE, "SERIALIZABLE");

  private static final String POSTGRES_SESSION =
      "SELECT version, cipher FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
  private static final String MYSQL_SESSION = "SHOW SESSION STATUS LIKE 'Ssl_%'";

  /** Asks the server about this very session. */
  public static Facts of(Connection connection, Dialect dialect) throws SQLException {
    DatabaseMetaData meta = connection.getMetaData();
    String[] encryption = encryption(connection, dialect);
    // A question that PostgreSQL has refused ends the transaction for all that come after it.
    connection.rollback();
    String isolation =
        ISOLATIONS.getOrDefault(connection.getTransactionIsolation(), "unknown to JDBC");
    connection.rollback();
    return new Facts(
        meta.getDatabaseProductName() + " " + meta.getDatabaseProductVersion(),
        meta.getDriverName() + " " + meta.getDriverVersion(),
        isolation,
        orNone(encryption[0]),
        orNone(encryption[1]));
  }

  /** Version and cipher suite, empty without TLS; "unknown" if this server cannot say it. */
  private static String[] encryption(Connection connection, Dialect dialect) {
    String[] found = {"", ""};
    try (Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(dialect.isMySqlFamily() ? MYSQL_SESSION : POSTGRES_SESSION)) {
      while (rows.next()) {
        if (!dialect.isMySqlFamily()) {
          found[0] = rows.getString(1);
          found[1] = rows.getString(2);
        } else if (rows.getString(1).equalsIgnoreCase("Ssl_version")) {
          found[0] = rows.getString(2);
        } else if (rows.getString(1).equalsIgnoreCase("Ssl_cipher")) {
          found[1] = rows.getString(2);
        }
      }
    } catch (SQLException systemOfAnotherKind) {
      return new String[] {"unknown", "unknown"};
    }
    return found;
  }

  private static String orNone(String text) {
    return text == null || text.isEmpty() ? "none" : text;
  }
}
