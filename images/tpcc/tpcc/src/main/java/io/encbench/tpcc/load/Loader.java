package io.encbench.tpcc.load;

import io.encbench.tpcc.database.Database;
import io.encbench.tpcc.database.Dialect;
import io.encbench.tpcc.output.Json;
import io.encbench.tpcc.output.Output;
import io.encbench.tpcc.random.Constants;
import io.encbench.tpcc.schema.Configuration;
import io.encbench.tpcc.schema.Script;
import io.encbench.tpcc.settings.Settings;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.postgresql.PGConnection;

/** Makes the database from nothing: tables, rows, keys, foreign keys, statistics. */
public final class Loader {
  private final Settings settings;
  private final Database database;
  private final Output output;
  private final Dialect dialect;
  private final long started = System.nanoTime();

  public Loader(Settings settings, Database database, Output output) {
    this.settings = settings;
    this.database = database;
    this.output = output;
    this.dialect = database.dialect();
  }

  /** Loads; whatever fails is thrown and leaves a database that is not complete. */
  public void load() throws Exception {
    try (Connection connection = database.open()) {
      execute(connection, Script.DROP);
      execute(connection, Script.TABLES);
    }
    // MySQL ends a connection that is idle for eight hours, and the workers may take longer.
    stage("tables made");
    Workers workers = new Workers(database, settings.loadWorkers());
    workers.run(rows());
    stage("rows written");
    workers.run(keys());
    stage("keys made");
    try (Connection connection = database.open()) {
      // Before the foreign keys, for PostgreSQL looks for rows that break them with a query.
      execute(connection, Script.FINISH);
      stage("statistics taken");
      if (settings.foreignKeys()) {
        execute(connection, Script.FOREIGN_KEYS);
        stage("foreign keys made");
      }
      // Its presence says that the load is complete.
      new Configuration(settings.warehouses(), Constants.ofLoad(settings.seed())).write(connection);
    }
    output.event(
        Json.object()
            .put("event", "loaded")
            .put("warehouses", settings.warehouses())
            .put("seconds", seconds()));
  }

  /** Drops the tables, those that there are. */
  public static void drop(Database database) throws SQLException {
    try (Connection connection = database.open()) {
      execute(connection, database.dialect(), Script.DROP);
    }
  }

  /**
   * Every table of every warehouse, the longest first, so that no worker is left with a long one.
   */
  private List<Workers.Job> rows() {
    long seed = settings.seed();
    List<Table> tables =
        List.of(
            new Stock(seed),
            new OrderLines(seed),
            new Customers(seed),
            new Items(seed),
            new Orders(seed),
            new History(seed),
            new NewOrders(),
            new Districts(seed),
            new Warehouses(seed));
    List<Workers.Job> jobs = new ArrayList<>();
    for (Table table : tables) {
      if (!table.perWarehouse()) {
        jobs.add((connection, worker) -> write(table, 0, connection, worker));
      } else {
        for (int warehouse = 1; warehouse <= settings.warehouses(); warehouse++) {
          int number = warehouse;
          jobs.add((connection, worker) -> write(table, number, connection, worker));
        }
      }
    }
    return jobs;
  }

  private void write(Table table, int warehouse, Connection connection, int worker)
      throws Exception {
    try (RowWriter writer = writer(connection, table)) {
      table.write(warehouse, writer);
      writer.finish();
    }
    String of = warehouse == 0 ? "" : " of Warehouse " + warehouse;
    output.plain(String.format("Worker %03d: Loading %s%s done", worker, table, of));
  }

  /** COPY only with the driver itself: a driver that wraps it may have to see every value. */
  private static RowWriter writer(Connection connection, Table table) throws SQLException {
    return connection instanceof PGConnection postgres
        ? new CopyWriter(postgres.getCopyAPI(), table)
        : new InsertWriter(connection, table);
  }

  private List<Workers.Job> keys() {
    List<Workers.Job> jobs = new ArrayList<>();
    for (String sql : Script.KEYS.statements(dialect)) {
      jobs.add(
          (connection, worker) -> {
            try (Statement statement = connection.createStatement()) {
              statement.execute(sql);
            }
          });
    }
    return jobs;
  }

  private void execute(Connection connection, Script script) throws SQLException {
    execute(connection, dialect, script);
  }

  /** With autocommit, for VACUUM must be alone. */
  private static void execute(Connection connection, Dialect dialect, Script script)
      throws SQLException {
    connection.setAutoCommit(true);
    try (Statement statement = connection.createStatement()) {
      for (String sql : script.statements(dialect)) {
        statement.execute(sql);
      }
    } finally {
      connection.setAutoCommit(false);
    }
  }

  private void stage(String text) {
    output.line(String.format("%s after %.1f s", text, seconds()));
  }

  private double seconds() {
    return (System.nanoTime() - started) / 1e9;
  }
}
