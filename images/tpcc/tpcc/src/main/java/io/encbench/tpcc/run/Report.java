package io.encbench.tpcc.run;

import io.encbench.tpcc.database.Traffic;
import io.encbench.tpcc.measure.Latencies;
import io.encbench.tpcc.measure.Memory;
import io.encbench.tpcc.measure.Moment;
import io.encbench.tpcc.measure.TypeTally;
import io.encbench.tpcc.output.Json;
import io.encbench.tpcc.output.Output;
import io.encbench.tpcc.transaction.Type;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** What is printed at the end; {@code docs/tpcc.md} describes it. */
final class Report {
  static final String SCHEMA = "encbench.io/tpcc/v1";

  private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss");

  private final Output output;
  private final Window window;
  private final Errors errors;

  Report(Output output, Window window, Errors errors) {
    this.output = output;
    this.window = window;
    this.errors = errors;
  }

  /**
   * Prints all of it.
   *
   * @param failure why the run is not complete, or null
   */
  void print(String failure) {
    if (window.isMeasured()) {
      lines();
    }
    for (Type type : Type.values()) {
      output.event(type(type));
    }
    output.event(result(failure));
  }

  private void lines() {
    output.line("");
    output.line("This is not a TPC result: see docs/tpcc.md.");
    output.line(
        String.format(Locale.ROOT, "Measured tpmC (NewOrders) = %.2f", perMinute(newOrders())));
    output.line(String.format(Locale.ROOT, "Measured tpmTOTAL = %.2f", perMinute(transactions())));
    output.line("Session Start     = " + local(window.start()));
    output.line("Session End       = " + local(window.end()));
    output.line("Transaction Count = " + transactions());
  }

  private Json type(Type type) {
    TypeTally inside = window.inside().of(type);
    TypeTally session = window.session().of(type);
    return counts(Json.object().put("event", "type").put("type", type.text()), inside)
        .put("latencyMs", latencies(inside.latencies()))
        .putRaw("histogramUs", inside.latencies().buckets())
        .put("traffic", traffic(inside.traffic()))
        .put("session", counts(Json.object(), session).put("traffic", traffic(session.traffic())));
  }

  private static Json traffic(Traffic traffic) {
    return Json.object()
        .put("statements", traffic.statements())
        .put("roundTrips", traffic.roundTrips())
        .put("cells", traffic.cells());
  }

  private static Json counts(Json json, TypeTally tally) {
    return json.put("committed", tally.committed())
        .put("rolledBack", tally.rolledBack())
        .put("retries", tally.retries())
        .put("errors", tally.errors());
  }

  private static Json latencies(Latencies latencies) {
    if (latencies.count() == 0) {
      return null;
    }
    return Json.object()
        .put("average", latencies.average())
        .put("min", latencies.least())
        .put("p50", latencies.percentile(50))
        .put("p90", latencies.percentile(90))
        .put("p95", latencies.percentile(95))
        .put("p99", latencies.percentile(99))
        .put("max", latencies.most());
  }

  private Json result(String failure) {
    TypeTally all = window.inside().all();
    boolean measured = window.isMeasured();
    return Json.object()
        .put("event", "result")
        .put("schema", SCHEMA)
        .put("complete", failure == null)
        .put("reason", output.masked(failure))
        .put("window", measured ? edges() : null)
        .put("tpmC", measured ? perMinute(newOrders()) : Double.NaN)
        .put("tpmTotal", measured ? perMinute(transactions()) : Double.NaN)
        .put("transactions", all.transactions())
        .put("newOrders", newOrders())
        .put("retries", all.retries())
        .put("errors", all.errors())
        .put("latencyMs", latencies(all.latencies()))
        .put("traffic", traffic(all.traffic()))
        .put("reconnects", window.inside().reconnects())
        .put("deliveredOrders", window.inside().deliveredOrders())
        .put("skippedDistricts", window.inside().skippedDistricts())
        .put("session", session())
        .put("errorCounts", errors.json())
        .put("client", client());
  }

  private Json edges() {
    return Json.object()
        .put("start", window.start().unix())
        .put("end", window.end().unix())
        .put("seconds", window.seconds());
  }

  private Json session() {
    return Json.object()
        .put("errors", window.session().all().errors())
        .put("reconnects", window.session().reconnects())
        .put("deliveredOrders", window.session().deliveredOrders())
        .put("skippedDistricts", window.session().skippedDistricts());
  }

  private Json client() {
    double inWindow = window.isMeasured() ? window.end().cpu() - window.start().cpu() : Double.NaN;
    long resident = Memory.mostResident();
    return Json.object()
        .put("cpuSeconds", Moment.now().cpu())
        .put("cpuSecondsWindow", inWindow)
        .put("residentBytes", resident < 0 ? Double.NaN : (double) resident);
  }

  private long transactions() {
    return window.inside().all().transactions();
  }

  private long newOrders() {
    return window.inside().of(Type.NEW_ORDER).transactions();
  }

  private double perMinute(long count) {
    return count / window.seconds() * 60;
  }

  private static String local(Moment moment) {
    Instant instant = Instant.ofEpochMilli((long) (moment.unix() * 1000));
    return LocalDateTime.ofInstant(instant, ZoneId.systemDefault()).format(TIME);
  }
}
