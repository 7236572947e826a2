package io.encbench.conformance;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.sql.DataSource;

/** HikariCP: connections that come back are used again, and none reads with another's key. */
final class Pool implements Library {
  private static final int THREADS = 8;
  private static final int TURNS = 25;

  @Override
  public void run(DataSource source, Path folder, Report report) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    try {
      List<Future<List<String>>> asked = new ArrayList<>();
      for (int thread = 0; thread < THREADS; thread++) {
        int id = 10 + thread % 5;
        asked.add(threads.submit(() -> read(source, id)));
      }
      for (Future<List<String>> one : asked) {
        report.say("read", one.get());
      }
    } finally {
      threads.shutdown();
    }
    try (Connection connection = source.getConnection()) {
      report.say("valid", connection.isValid(5));
      report.say("read only", connection.isReadOnly());
      report.say("isolation", connection.getTransactionIsolation());
      report.say("product", connection.getMetaData().getDatabaseProductName());
      report.say("catalog", connection.getCatalog());
      connection.setAutoCommit(false);
      report.say("closed", connection.isClosed());
    }
  }

  private List<String> read(DataSource source, int id) throws SQLException {
    List<String> found = new ArrayList<>();
    for (int turn = 0; turn < TURNS; turn++) {
      try (Connection connection = source.getConnection();
          PreparedStatement statement =
              connection.prepareStatement(
                  "SELECT iban, balance, opened FROM accounts WHERE id = ?")) {
        statement.setInt(1, id);
        try (ResultSet rows = statement.executeQuery()) {
          while (rows.next()) {
            String read = rows.getString(1) + " " + rows.getBigDecimal(2) + " " + rows.getObject(3);
            if (!found.contains(read)) {
              found.add(read);
            }
          }
        }
      }
    }
    return found;
  }
}
