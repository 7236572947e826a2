package io.encbench.tpcc.database;

import java.util.Map;
import java.util.Properties;

/**
 * Connection properties that we add where the URL does not say otherwise.
 *
 * <p>Nothing here changes what is stored or what is encrypted; {@code docs/tpcc.md} says what each
 * group is worth. A URL of our encrypting driver has those of the one that it goes around; URLs of
 * other drivers are left alone, because these may pass their properties on.
 *
 * <p>By default MariaDB's driver sends a batch of inserts as one bulk command, but not through the
 * confidential proxy, which offers none of MariaDB's extensions. The cost of the proxy would
 * include the loss of that command, so a direct run does without it as well.
 */
final class DriverDefaults {
  /** Whether MariaDB's driver has that command; {@code useBulkStmtsForInserts} follows it. */
  private static final String BULK = "useBulkStmts";

  private static final Map<String, Map<String, String>> BY_PREFIX =
      Map.of(
          "jdbc:postgresql:",
          Map.of(
              "ApplicationName", "tpcc",
              "connectTimeout", "10",
              "prepareThreshold", "1",
              "reWriteBatchedInserts", "true",
              "tcpKeepAlive", "true"),
          "jdbc:mysql:",
          Map.of(
              "connectTimeout", "10000",
              "rewriteBatchedStatements", "true",
              "allowMultiQueries", "true",
              "cachePrepStmts", "true",
              "prepStmtCacheSqlLimit", "4096",
              "cacheServerConfiguration", "true",
              "elideSetAutoCommits", "true",
              "useLocalSessionState", "true",
              "maintainTimeStats", "false"),
          "jdbc:mariadb:",
          Map.of("connectTimeout", "10000", "tcpKeepAlive", "true", BULK, "false"));

  private DriverDefaults() {}

  /** The defaults for this URL without those that it sets itself. */
  static Properties beside(String given) {
    String url = Encbench.inner(given);
    Properties properties = new Properties();
    BY_PREFIX.forEach(
        (prefix, defaults) -> {
          if (url.startsWith(prefix + "//")) {
            defaults.forEach(
                (name, value) -> {
                  if (!url.matches("(?s).*[?&]" + name + "=.*")) {
                    properties.setProperty(name, value);
                  }
                });
          }
        });
    return properties;
  }

  /** The same for a load, which measures nothing: bulk commands make it fast. */
  static Properties forLoad(Properties properties) {
    Properties own = (Properties) properties.clone();
    own.remove(BULK);
    return own;
  }
}
