package io.encbench.tpcc.run;

import io.encbench.tpcc.database.Database;
import io.encbench.tpcc.database.Session;
import java.sql.SQLException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Connects terminals again, until the database was away for too long. */
final class Reconnector {
  /** So that a thousand terminals do not all knock at once. */
  private static final int AT_A_TIME = 16;

  private static final long PAUSE_NANOS = 250_000_000;

  private final Database database;
  private final int deadlineSeconds;
  private final Semaphore places = new Semaphore(AT_A_TIME);

  Reconnector(Database database, int deadlineSeconds) {
    this.database = database;
    this.deadlineSeconds = deadlineSeconds;
  }

  /** A new session, or null when the run is stopped, by this or by something else. */
  Session reconnect(String name, Stop stop) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(deadlineSeconds);
    while (!stop.asked()) {
      try {
        return open();
      } catch (SQLException error) {
        if (System.nanoTime() >= deadline) {
          stop.because(
              String.format(
                  "%s lost its connection and could not connect again for %d s: %s",
                  name, deadlineSeconds, error.getMessage()));
          return null;
        }
      }
      stop.await(PAUSE_NANOS);
    }
    return null;
  }

  private Session open() throws SQLException {
    places.acquireUninterruptibly();
    try {
      return database.session();
    } finally {
      places.release();
    }
  }
}
