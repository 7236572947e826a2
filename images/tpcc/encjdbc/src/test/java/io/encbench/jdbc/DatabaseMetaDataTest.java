package io.encbench.jdbc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Around MariaDB's driver, which does not tell the names to which values are bound. */
class DatabaseMetaDataTest {
  private static final Mek MEK = new Mek(Path.of("/keys/mek"), new byte[16]);

  /** What no proxy announces: the length of a binary string. */
  private static final int PLAIN = 30;

  private interface Question {
    ResultSet ask(DatabaseMetaData meta) throws SQLException;
  }

  /** The last two the driver answers by what it has read itself. */
  private static final List<Question> QUESTIONS =
      List.of(
          meta -> meta.getTables(null, null, "%", null),
          meta -> meta.getColumns(null, null, "t", "%"),
          meta -> meta.getPrimaryKeys(null, null, "t"),
          meta -> meta.getImportedKeys(null, null, "t"),
          meta -> meta.getExportedKeys(null, null, "t"));

  /** One whose driver has rows for every question about the catalogue. */
  private static DatabaseMetaData around(Mek mek, int precision) throws SQLException {
    DatabaseMetaData inner =
        (DatabaseMetaData)
            Proxy.newProxyInstance(
                DatabaseMetaDataTest.class.getClassLoader(),
                new Class<?>[] {DatabaseMetaData.class},
                (proxy, method, arguments) ->
                    ResultsTest.sent("tables", precision, ResultsTest.sealed(253, 0, 0, 45, "t")));
    return new EncryptingDatabaseMetaData(ResultsTest.session(Inner.MARIADB, mek, false), inner);
  }

  @Test
  void whatAProxyHasEncryptedIsRefused() throws SQLException {
    DatabaseMetaData meta = around(MEK, ResultsTest.DECIMAL);
    for (Question question : QUESTIONS) {
      assertEquals(
          "a proxy has encrypted this metadata, and MariaDB's driver hides the names to which its"
              + " values are bound: use Connector/J after jdbc:encbench:, or ask the server itself",
          assertThrows(SQLFeatureNotSupportedException.class, () -> read(question.ask(meta)))
              .getMessage());
    }
  }

  private static String read(ResultSet rows) throws SQLException {
    rows.next();
    return rows.getString(2);
  }

  /** Whether there are rows is the server's answer. */
  @Test
  void whatIsNotReadIsNotRefused() throws SQLException {
    for (Question question : QUESTIONS.subList(0, 3)) {
      assertTrue(question.ask(around(MEK, ResultsTest.DECIMAL)).next());
    }
    for (Question question : QUESTIONS.subList(3, 5)) {
      assertThrows(
          SQLFeatureNotSupportedException.class,
          () -> question.ask(around(MEK, ResultsTest.DECIMAL)));
    }
  }

  @Test
  void whatIsInPlaintextIsAnswered() throws SQLException {
    for (Question question : QUESTIONS) {
      question.ask(around(MEK, PLAIN));
    }
  }

  /** Then its getters say what is missing. */
  @Test
  void withoutAKeyNothingIsRefusedBeforeItIsRead() throws SQLException {
    for (Question question : QUESTIONS) {
      question.ask(around(null, ResultsTest.DECIMAL));
    }
  }
}
