package io.encbench.tpcc.database;

/**
 * What went between a client and its server, counted where statements are executed.
 *
 * <p>A statement is one of SQL, each row of a batch being one, and none that ends a transaction. A
 * round trip is a request after which the client waits, a batch being one, as is a commit. A cell
 * is one value of a row that a result has. Only one thread may use it.
 */
public final class Traffic {
  private long statements;
  private long roundTrips;
  private long cells;

  void sent(int count) {
    statements += count;
    roundTrips++;
  }

  void received(int columns) {
    cells += columns;
  }

  /** Adds what another counted. */
  public void add(Traffic other) {
    statements += other.statements;
    roundTrips += other.roundTrips;
    cells += other.cells;
  }

  /** Begins anew. */
  public void clear() {
    statements = 0;
    roundTrips = 0;
    cells = 0;
  }

  public long statements() {
    return statements;
  }

  public long roundTrips() {
    return roundTrips;
  }

  public long cells() {
    return cells;
  }
}
