package io.encbench.tpcc.database;

import java.util.Map;
import java.util.Properties;

/**
 * Connection properties that we add where the URL does not say otherwise.
 *
 * <p>Nothing here changes what is stored or what is encrypted; {@code docs/tpcc.md} says what each
 * group is worth. A URL of our encrypting driver has those of the one that it goes around; URLs of
 * other drivers are left alone, because these may pass their properties on.
 */
final class DriverDefaults {
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
          Map.of("connectTimeout", "10000", "tcpKeepAlive", "true"));

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
}
