package io.encbench.tpcc.run;

import io.encbench.tpcc.database.Facts;
import io.encbench.tpcc.output.Json;
import io.encbench.tpcc.output.Output;
import io.encbench.tpcc.random.Constants;
import io.encbench.tpcc.settings.Length;
import io.encbench.tpcc.settings.Settings;
import io.encbench.tpcc.settings.Terminals;

/** What is printed before the load begins. */
final class Header {
  private static final String BAR =
      "+-------------------------------------------------------------+";

  private final Output output;
  private final Settings settings;

  Header(Output output, Settings settings) {
    this.output = output;
    this.settings = settings;
  }

  void settings() {
    output.line("");
    output.line(BAR);
    output.line("     encbench tpcc, with the contract of BenchmarkSQL v5.0");
    output.line(BAR);
    output.line("");
    settings.echo().forEach((name, value) -> output.line(name + "=" + value));
    output.line("");
  }

  void constants(Constants load, Constants run) {
    output.line("C value for C_LAST during load: " + load.lastName());
    output.line("C value for C_LAST this run:    " + run.lastName());
    output.line("");
  }

  void session(Facts facts) {
    output.plain("encbench-session tls=" + facts.tls() + " cipher=" + facts.cipher());
  }

  void started(Facts facts) {
    Terminals terminals = settings.terminals();
    Length length = settings.length();
    output.event(
        Json.object()
            .put("event", "started")
            .put("schema", Report.SCHEMA)
            .put("db", settings.access().dialect().text())
            .put("server", facts.server())
            .put("driver", facts.driver())
            .put("isolation", facts.isolation())
            .put("statements", settings.statements().text())
            .put("warehouses", settings.warehouses())
            .put("terminals", terminals.count())
            .put("terminalOffset", terminals.offset())
            .put("terminalsTotal", terminals.total())
            .put("terminalWarehouseFixed", terminals.warehouseFixed())
            .put("limitTxnsPerMin", settings.limitPerMinute())
            .put("seed", settings.seed())
            .put("warmupSeconds", length.warmupSeconds())
            .put("runSeconds", length.runSeconds())
            .put("runTxnsPerTerminal", length.transactionsPerTerminal()));
  }
}
