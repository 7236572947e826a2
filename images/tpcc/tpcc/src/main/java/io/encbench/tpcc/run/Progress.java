package io.encbench.tpcc.run;

import io.encbench.tpcc.measure.Latencies;
import io.encbench.tpcc.measure.Memory;
import io.encbench.tpcc.measure.Tally;
import io.encbench.tpcc.measure.TypeTally;
import io.encbench.tpcc.output.Json;
import io.encbench.tpcc.output.Output;
import io.encbench.tpcc.transaction.Type;
import java.util.Locale;

/** The lines of every second. The running average begins anew with the window. */
final class Progress {
  private final Output output;
  private long transactions;
  private double seconds;

  Progress(Output output) {
    this.output = output;
  }

  void windowBegins() {
    transactions = 0;
    seconds = 0;
  }

  /** Reports the interval that ended with this second of the run. */
  void second(int second, double length, Tally interval) {
    TypeTally all = interval.all();
    transactions += all.transactions();
    seconds += length;
    output.plain(
        String.format(
            Locale.ROOT,
            "Term-00, Running Average tpmTOTAL: %.2f    Current tpmTOTAL: %d    %s",
            transactions / seconds * 60,
            Math.round(all.transactions() / length * 60),
            Memory.usage()));
    Latencies latencies = all.latencies();
    output.event(
        Json.object()
            .put("event", "second")
            .put("second", second)
            .put("seconds", length)
            .put("transactions", all.transactions())
            .put("newOrders", interval.of(Type.NEW_ORDER).transactions())
            .put("retries", all.retries())
            .put("errors", all.errors())
            .put("p95Ms", latencies.percentile(95)));
  }
}
