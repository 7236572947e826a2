package io.encbench.tpcc.measure;

import io.encbench.tpcc.database.Traffic;

/** What happened to transactions of one type. */
public final class TypeTally {
  private long committed;
  private long rolledBack;
  private long errors;
  private long retries;
  private final Latencies latencies = new Latencies();
  private final Traffic traffic = new Traffic();

  void entry(Ending ending, int tries, long micros) {
    retries += tries;
    switch (ending) {
      case COMMITTED -> committed++;
      case ROLLED_BACK -> rolledBack++;
      case ERROR -> errors++;
    }
    if (ending != Ending.ERROR) {
      latencies.add(micros);
    }
  }

  void traffic(Traffic more) {
    traffic.add(more);
  }

  void add(TypeTally other) {
    committed += other.committed;
    rolledBack += other.rolledBack;
    errors += other.errors;
    retries += other.retries;
    latencies.add(other.latencies);
    traffic.add(other.traffic);
  }

  public long committed() {
    return committed;
  }

  public long rolledBack() {
    return rolledBack;
  }

  /** Those that ended as they should: committed, or rolled back because their input wanted it. */
  public long transactions() {
    return committed + rolledBack;
  }

  public long errors() {
    return errors;
  }

  public long retries() {
    return retries;
  }

  public Latencies latencies() {
    return latencies;
  }

  /** What all of them took, retries and those that were given up included. */
  public Traffic traffic() {
    return traffic;
  }
}
