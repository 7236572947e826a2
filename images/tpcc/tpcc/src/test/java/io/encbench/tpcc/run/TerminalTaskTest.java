package io.encbench.tpcc.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.encbench.tpcc.database.Dialect;
import io.encbench.tpcc.database.Session;
import io.encbench.tpcc.measure.Journal;
import io.encbench.tpcc.measure.SliceCounter;
import io.encbench.tpcc.measure.Tally;
import io.encbench.tpcc.measure.TypeTally;
import io.encbench.tpcc.output.Output;
import io.encbench.tpcc.settings.InvalidInput;
import io.encbench.tpcc.settings.Terminals;
import io.encbench.tpcc.transaction.Type;
import io.encbench.tpcc.transaction.Work;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TerminalTaskTest {
  private static final SQLException DEADLOCK = new SQLException("deadlock", "40P01");
  private static final SQLException ERROR = new SQLException("no such table", "42P01");
  private static final SQLException LOST = new SQLException("connection reset", "08006");

  private final Stop stop = new Stop();
  private final Journal journal = new Journal();
  private final FakeConnection connection = new FakeConnection();
  private final FakeConnection next = new FakeConnection();
  private final Errors errors = new Errors(new Output(new ByteArrayOutputStream()));
  private boolean databaseIsBack = true;
  private SliceCounter counter;

  @BeforeEach
  void countNothing() throws InvalidInput {
    counter = SliceCounter.of(null, 1).get(0);
  }

  /** A payment whose attempts end one after the other like this; null is a success. */
  private static Work attempts(SQLException... ends) {
    Deque<SQLException> left = new ArrayDeque<>();
    for (SQLException end : ends) {
      left.add(end);
    }
    return new Work() {
      @Override
      public Type type() {
        return Type.PAYMENT;
      }

      @Override
      public boolean attempt(Session session) throws SQLException {
        SQLException end = left.poll();
        if (end != null) {
          throw end;
        }
        return true;
      }
    };
  }

  private static Session session(FakeConnection connection) {
    return new Session(connection.connection(), Dialect.POSTGRES, null);
  }

  private TypeTally run(Work... works) {
    return run(0, List.of(works));
  }

  /** Runs them and stops after the last one. */
  private TypeTally run(int quota, List<Work> works) {
    Deque<Work> left = new ArrayDeque<>(works);
    TerminalTask task =
        new TerminalTask(
            "Term-01",
            () -> {
              if (left.size() == 1) {
                stop.now();
              }
              return left.poll();
            },
            journal,
            counter,
            Pace.of(0, new Terminals(1, 0, 1, true), 0, () -> 0),
            (name, stopped) -> {
              if (!databaseIsBack) {
                stopped.because("gone");
                return null;
              }
              return session(next);
            },
            quota,
            errors,
            stop,
            session(connection));
    journal.drain(new Tally(), true);
    task.run();
    return drain().of(Type.PAYMENT);
  }

  private Tally drain() {
    Tally tally = new Tally();
    journal.drain(tally, false);
    return tally;
  }

  @Test
  void whatIsGivenUpIsInNoSlice(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("counters");
    Files.write(file, new byte[4096 + 16384]);
    counter = SliceCounter.of(file.toString(), 1).get(0);
    run(attempts(ERROR), attempts(DEADLOCK), attempts());
    ByteBuffer words = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.nativeOrder());
    assertEquals(2, words.getLong(4096 + 8));
  }

  @Test
  void aDeadlockIsTriedAgain() {
    TypeTally tally = run(attempts(DEADLOCK, DEADLOCK));
    assertEquals(1, tally.committed());
    assertEquals(2, tally.retries());
    assertEquals(0, tally.errors());
    assertEquals(2, connection.rollbacks);
  }

  @Test
  void retriesAreBounded() {
    SQLException[] always = new SQLException[50];
    Arrays.fill(always, DEADLOCK);
    TypeTally tally = run(attempts(always));
    assertEquals(0, tally.committed());
    assertEquals(TerminalTask.MOST_RETRIES, tally.retries());
    assertEquals(1, tally.errors());
    assertEquals("{\"40P01 deadlock\":1}", errors.json().toString());
  }

  @Test
  void anErrorIsCountedAndTheNextTransactionFollows() {
    TypeTally tally = run(attempts(ERROR), attempts());
    assertEquals(1, tally.errors());
    assertEquals(1, tally.committed());
    assertEquals(1, tally.latencies().count());
    assertEquals(0, next.closed);
  }

  @Test
  void aLostConnectionIsReplaced() {
    connection.lost = true;
    TypeTally tally = run(attempts(LOST), attempts());
    assertEquals(1, tally.errors());
    assertEquals(1, tally.committed());
    assertEquals(1, connection.closed);
    assertEquals(1, next.closed, "the last session is closed at the end");
  }

  @Test
  void aConnectionThatCannotRollBackIsLostWhateverTheErrorSaid() {
    connection.lost = true;
    TypeTally tally = run(attempts(DEADLOCK), attempts());
    assertEquals(1, tally.errors());
    assertEquals(1, connection.closed);
    assertEquals(1, next.closed, "it was replaced");
  }

  @Test
  void withoutADatabaseTheTerminalEnds() {
    databaseIsBack = false;
    TypeTally tally = run(attempts(LOST), attempts());
    assertEquals(1, tally.errors());
    assertEquals(0, tally.committed());
    assertEquals("gone", stop.failure());
    assertEquals(1, connection.closed);
  }

  @Test
  void aTerminalThatOnlyFailsStopsTheRun() {
    List<Work> works = new ArrayList<>();
    for (int i = 0; i < 2 * TerminalTask.MOST_ERRORS_IN_A_ROW; i++) {
      works.add(attempts(ERROR));
    }
    assertEquals(TerminalTask.MOST_ERRORS_IN_A_ROW, run(0, works).errors());
    assertTrue(stop.failure().startsWith("100 transactions in a row failed at Term-01"));
  }

  @Test
  void aQuotaEndsIt() {
    TypeTally tally = run(2, List.of(attempts(), attempts(ERROR), attempts(), attempts()));
    assertEquals(2, tally.transactions() + tally.errors());
    assertNull(stop.failure());
  }

  @Test
  void aBugStopsTheRun() {
    Work broken =
        new Work() {
          @Override
          public Type type() {
            return Type.PAYMENT;
          }

          @Override
          public boolean attempt(Session session) {
            throw new IllegalStateException("bug");
          }
        };
    run(broken);
    assertEquals("Term-01 failed: java.lang.IllegalStateException: bug", stop.failure());
    assertEquals(1, connection.closed);
  }
}
