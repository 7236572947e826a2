package io.encbench.tpcc.run;

import io.encbench.tpcc.database.Failure;
import io.encbench.tpcc.database.Session;
import io.encbench.tpcc.measure.Ending;
import io.encbench.tpcc.measure.Journal;
import io.encbench.tpcc.measure.SliceCounter;
import io.encbench.tpcc.transaction.Type;
import io.encbench.tpcc.transaction.Work;
import java.sql.SQLException;
import java.util.function.BiFunction;
import java.util.function.Supplier;

/**
 * A terminal: one transaction after the other until it is stopped.
 *
 * <p>It is a thread of its own that mostly waits for the database.
 */
final class TerminalTask implements Runnable {
  static final int MOST_RETRIES = 10;

  /** A terminal at which this many fail in a row will not recover by itself. */
  static final int MOST_ERRORS_IN_A_ROW = 100;

  private static final long LONGEST_PAUSE_NANOS = 20_000_000;

  private final String name;
  private final Supplier<Work> source;
  private final Journal journal;
  private final SliceCounter counter;
  private final Pace pace;
  private final BiFunction<String, Stop, Session> reconnector;
  private final int quota;
  private final Errors errors;
  private final Stop stop;
  private Session session;
  private int measured;
  private int errorsInARow;

  /**
   * A terminal with its session.
   *
   * @param reconnector makes a new session, or none if the run is stopped
   * @param quota how many transactions of the window it has to make, 0 for no limit
   */
  TerminalTask(
      String name,
      Supplier<Work> source,
      Journal journal,
      SliceCounter counter,
      Pace pace,
      BiFunction<String, Stop, Session> reconnector,
      int quota,
      Errors errors,
      Stop stop,
      Session session) {
    this.name = name;
    this.source = source;
    this.journal = journal;
    this.counter = counter;
    this.pace = pace;
    this.reconnector = reconnector;
    this.quota = quota;
    this.errors = errors;
    this.stop = stop;
    this.session = session;
  }

  @Override
  public void run() {
    try {
      while (!stop.asked() && (quota == 0 || measured < quota)) {
        if (stop.await(pace.delay(System.nanoTime()))) {
          break;
        }
        perform(source.get());
      }
    } catch (RuntimeException | Error bug) {
      stop.because(name + " failed: " + bug);
    } finally {
      if (session != null) {
        session.close();
      }
    }
  }

  private void perform(Work work) {
    counter.begin();
    long begin = System.nanoTime();
    for (int retries = 0; ; retries++) {
      try {
        Ending ending = work.attempt(session) ? Ending.COMMITTED : Ending.ROLLED_BACK;
        note(work, ending, retries, begin);
        errorsInARow = 0;
        return;
      } catch (SQLException error) {
        Failure failure = session.failure(error);
        if (failure != Failure.RETRY || retries == MOST_RETRIES) {
          errors.add(name + ", " + work.type().text(), error);
          note(work, Ending.ERROR, retries, begin);
          afterError(failure, error);
          return;
        }
        stop.await(pause(retries + 1));
      }
    }
  }

  private void note(Work work, Ending ending, int retries, long begin) {
    long nanos = System.nanoTime() - begin;
    if (ending != Ending.ERROR) {
      counter.end(work.type(), nanos);
    }
    measured = journal.add(work.type(), ending, retries, nanos / 1000, session.traffic());
    session.traffic().clear();
    if (work.type() == Type.DELIVERY) {
      journal.addDelivery(work.delivered(), work.skipped());
    }
  }

  private void afterError(Failure failure, SQLException error) {
    if (++errorsInARow >= MOST_ERRORS_IN_A_ROW) {
      stop.because(
          String.format(
              "%d transactions in a row failed at %s, the last one with: %s",
              errorsInARow, name, error.getMessage()));
    }
    if (failure == Failure.LOST) {
      session.close();
      session = reconnector.apply(name, stop);
      if (session != null) {
        journal.addReconnect();
      }
    }
  }

  /** A short pause, longer and more random with every retry, so that two do not meet again. */
  private static long pause(int retries) {
    long most = Math.min(LONGEST_PAUSE_NANOS, 1_000_000L << retries);
    return (long) (Math.random() * most);
  }
}
