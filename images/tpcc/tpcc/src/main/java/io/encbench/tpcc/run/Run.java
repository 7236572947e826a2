package io.encbench.tpcc.run;

import io.encbench.tpcc.check.ColumnProbe;
import io.encbench.tpcc.database.Database;
import io.encbench.tpcc.database.Facts;
import io.encbench.tpcc.database.Session;
import io.encbench.tpcc.measure.Moment;
import io.encbench.tpcc.measure.SliceCounter;
import io.encbench.tpcc.measure.Tally;
import io.encbench.tpcc.measure.TypeTally;
import io.encbench.tpcc.output.Json;
import io.encbench.tpcc.output.Output;
import io.encbench.tpcc.random.Constants;
import io.encbench.tpcc.schema.Configuration;
import io.encbench.tpcc.settings.InvalidInput;
import io.encbench.tpcc.settings.Length;
import io.encbench.tpcc.settings.Settings;
import io.encbench.tpcc.transaction.Terminal;
import io.encbench.tpcc.transaction.WorkSource;
import io.encbench.tpcc.transaction.Works;
import io.encbench.tpcc.transaction.benchmarksql.BenchmarkSql;
import io.encbench.tpcc.transaction.lean.Lean;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** A measured run: terminals, the clock that cuts the window, and the report. */
public final class Run {
  private static final double SECOND = 1e9;
  private static final double LONGEST_TICK = 2;

  private final Settings settings;
  private final Database database;
  private final Output output;
  private final Length length;
  private final Stop stop = new Stop();
  private final Fleet fleet = new Fleet(stop);
  private final Window window = new Window();
  private final Errors errors;
  private final Progress progress;
  private double quiet;

  /** When the terminals were let go, by the monotonic clock. */
  private long released;

  public Run(Settings settings, Database database, Output output) {
    this.settings = settings;
    this.database = database;
    this.output = output;
    this.length = settings.length();
    this.errors = new Errors(output);
    this.progress = new Progress(output);
  }

  /** Ends the run before its time; the report says so. */
  public void end(String reason) {
    stop.because(reason);
  }

  /**
   * Runs and reports.
   *
   * @return why the run is not complete, or null
   * @throws SQLException if the terminals could not be connected; then nothing was run
   */
  public String execute() throws InvalidInput, SQLException, InterruptedException {
    Header header = new Header(output, settings);
    header.settings();
    Configuration loaded = configuration();
    Constants constants = loaded.constants().ofRun(settings.seed());
    header.constants(loaded.constants(), constants);
    List<Session> sessions = Sessions.open(database, settings.terminals().count());
    Facts facts = Facts.of(sessions.get(0).connection(), database.dialect());
    header.session(facts);
    probeColumns();
    long zero = System.nanoTime() + Gathering.left(System.getenv(), System.currentTimeMillis());
    man(sessions, constants);
    stop.await(zero - System.nanoTime());
    header.started(facts);
    Moment begin = Moment.now();
    if (length.warmupSeconds() == 0) {
      openWindow(begin);
    }
    released = System.nanoTime();
    fleet.letGo();
    measure(begin);
    int left = fleet.join(settings.deadlineSeconds());
    if (left > 0) {
      stop.because(
          String.format(
              "%d terminals were still in a transaction %d s after the end",
              left, settings.deadlineSeconds()));
    }
    window.add(fleet.drain(false));
    if (stop.failure() == null) {
      try {
        probeColumns();
      } catch (SQLException error) {
        stop.because("the known rows could not be read again: " + error.getMessage());
      }
    }
    new Report(output, window, errors).print(stop.failure());
    return stop.failure();
  }

  private void probeColumns() throws SQLException {
    if (settings.probeColumns()) {
      new ColumnProbe(database, output).print();
    }
  }

  private Configuration configuration() throws InvalidInput, SQLException {
    Configuration loaded;
    try (Connection connection = database.open()) {
      loaded = Configuration.read(connection);
    }
    if (settings.warehouses() > loaded.warehouses()) {
      throw new InvalidInput(
          String.format(
              "warehouses is %d, but the database was loaded with %d: load it with as many, or run"
                  + " on at most %d",
              settings.warehouses(), loaded.warehouses(), loaded.warehouses()));
    }
    return loaded;
  }

  /** A terminal for every session. */
  private void man(List<Session> sessions, Constants constants) throws InvalidInput {
    Reconnector reconnector = new Reconnector(database, settings.deadlineSeconds());
    Works works =
        switch (settings.statements()) {
          case BENCHMARKSQL -> new BenchmarkSql();
          case LEAN -> new Lean();
        };
    int count = sessions.size();
    long seed = TerminalSeed.of(System.getenv(), settings.seed());
    List<SliceCounter> counters = SliceCounter.of(System.getenv(SliceCounter.VARIABLE), count);
    for (int i = 0; i < count; i++) {
      int number = settings.terminals().offset() + i;
      String name = String.format("Term-%02d", number + 1);
      Terminal terminal =
          Terminal.of(number, settings.warehouses(), settings.terminals().warehouseFixed());
      WorkSource source =
          new WorkSource(terminal, settings.warehouses(), settings.mix(), works, constants, seed);
      Pace pace = Pace.of(settings.limitPerMinute(), settings.terminals(), i, () -> released);
      Session session = sessions.get(i);
      SliceCounter counter = counters.get(i);
      fleet.add(
          name,
          journal ->
              new TerminalTask(
                  name,
                  source::next,
                  journal,
                  counter,
                  pace,
                  reconnector::reconnect,
                  length.transactionsPerTerminal(),
                  errors,
                  stop,
                  session));
    }
  }

  /**
   * Counts the seconds until the run is over. Those in which this process was stopped are one long
   * second, the last of them.
   */
  private void measure(Moment begin) {
    Moment last = begin;
    int end = length.warmupSeconds() + length.runSeconds();
    for (int second = 1; !stop.asked(); second++) {
      double due = begin.monotonic() + second - System.nanoTime() / SECOND;
      boolean stopped = stop.await((long) (due * SECOND));
      Moment now = Moment.now();
      second = Math.max(second, (int) (now.monotonic() - begin.monotonic()));
      boolean opens = !stopped && !window.hasBegun() && second >= length.warmupSeconds();
      boolean closes = window.isOpen() && (stopped || (length.runSeconds() > 0 && second >= end));
      Tally interval = fleet.drain(opens);
      window.add(interval);
      if (closes) {
        closeWindow(now);
      }
      double seconds = now.monotonic() - last.monotonic();
      if (opens) {
        openWindow(now);
      }
      progress.second(second, seconds, interval);
      if (opens) {
        progress.windowBegins();
      }
      watch(interval, seconds);
      last = now;
    }
    // The stop may have come while a second was counted, as it does from watch().
    if (window.isOpen()) {
      Moment now = Moment.now();
      window.add(fleet.drain(false));
      closeWindow(now);
    }
  }

  private void openWindow(Moment now) {
    edge("window", now);
    window.begin(now);
    if (length.warmupSeconds() == 0) {
      fleet.drain(true);
    }
  }

  private void closeWindow(Moment now) {
    window.end(now);
    stop.now();
    edge("windowEnd", now);
  }

  private void edge(String event, Moment moment) {
    output.event(Json.object().put("event", event).put("unix", moment.unix()));
  }

  /**
   * A database that answers no terminal for as long as it may be away is as good as lost. An
   * interval that took longer than it should does not count in full, because this process may have
   * been stopped in it.
   */
  private void watch(Tally interval, double seconds) {
    TypeTally all = interval.all();
    quiet = all.transactions() + all.errors() > 0 ? 0 : quiet + Math.min(seconds, LONGEST_TICK);
    long pause = Pace.interval(settings.limitPerMinute(), settings.terminals().count());
    if (quiet > settings.deadlineSeconds() + pause / SECOND) {
      stop.because(String.format("no transaction has ended for %d s", settings.deadlineSeconds()));
    }
  }
}
