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
 * @param tls the version of TLS, "none", or "unknown" if the server does not say it
 * @param cipher the cipher suite, likewise
 */
public record Facts(String server, String driver, String isolation, String tls, String cipher) {
  private static final Map<Integer, String> ISOLATIONS =
      Map.of(
          Connection.TRANSACTION_READ_UNCOMMITTED, "READ_UNCOMMITTED",
          Connection.TRANSACTION_READ_COMMITTED, "READ_COMMITTED",
          Connection.TRANSACTION_REPEATABLE_READ, "REPEATABLE_READ",
          Connection.TRANSACTION_SERIALIZABLE, "SERIALIZABLE");

  private static final String UNKNOWN = "unknown";

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
        encryption[0],
        encryption[1]);
  }

  /** Version and cipher suite. An answer that does not come is not the answer "none". */
  private static String[] encryption(Connection connection, Dialect dialect) {
    String[] found = {UNKNOWN, UNKNOWN};
    try (Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(dialect.isMySqlFamily() ? MYSQL_SESSION : POSTGRES_SESSION)) {
      while (rows.next()) {
        if (!dialect.isMySqlFamily()) {
          found[0] = orNone(rows.getString(1));
          found[1] = orNone(rows.getString(2));
        } else if (rows.getString(1).equalsIgnoreCase("Ssl_version")) {
          found[0] = orNone(rows.getString(2));
        } else if (rows.getString(1).equalsIgnoreCase("Ssl_cipher")) {
          found[1] = orNone(rows.getString(2));
        }
      }
    } catch (SQLException systemOfAnotherKind) {
      return new String[] {UNKNOWN, UNKNOWN};
    }
    return found;
  }

  private static String orNone(String text) {
    return text == null || text.isEmpty() ? "none" : text;
  }
}
