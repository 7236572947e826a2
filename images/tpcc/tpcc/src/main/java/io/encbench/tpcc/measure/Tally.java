package io.encbench.tpcc.measure;

import io.encbench.tpcc.database.Traffic;
import io.encbench.tpcc.transaction.Type;
import java.util.EnumMap;
import java.util.Map;

/** What all terminals did in some interval. Only one thread may use it. */
public final class Tally {
  private final Map<Type, TypeTally> types = new EnumMap<>(Type.class);
  private long delivered;
  private long skipped;
  private long reconnects;

  public Tally() {
    for (Type type : Type.values()) {
      types.put(type, new TypeTally());
    }
  }

  void entry(Type type, Ending ending, int retries, long micros) {
    types.get(type).entry(ending, retries, micros);
  }

  void addTraffic(Type type, Traffic traffic) {
    types.get(type).traffic(traffic);
  }

  void addDelivery(long orders, long districtsSkipped) {
    delivered += orders;
    skipped += districtsSkipped;
  }

  void addReconnects(long count) {
    reconnects += count;
  }

  /** Adds another interval. */
  public void add(Tally other) {
    types.forEach((type, tally) -> tally.add(other.types.get(type)));
    delivered += other.delivered;
    skipped += other.skipped;
    reconnects += other.reconnects;
  }

  public TypeTally of(Type type) {
    return types.get(type);
  }

  /** All types as one. */
  public TypeTally all() {
    TypeTally all = new TypeTally();
    types.values().forEach(all::add);
    return all;
  }

  public long deliveredOrders() {
    return delivered;
  }

  public long skippedDistricts() {
    return skipped;
  }

  public long reconnects() {
    return reconnects;
  }
}
