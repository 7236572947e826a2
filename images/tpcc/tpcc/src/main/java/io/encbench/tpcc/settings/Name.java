package io.encbench.tpcc.settings;

import java.util.Arrays;
import java.util.Optional;

/** The properties that this client knows, in the order in which BenchmarkSQL 5 echoes them. */
enum Name {
  DB("db"),
  DRIVER("driver"),
  CONN("conn"),
  CONN_FILE("connFile"),
  USER("user"),
  PASSWORD_FILE("passwordFile"),
  MEK_FILE("mekFile"),
  WAREHOUSES("warehouses"),
  LOAD_WORKERS("loadWorkers"),
  FOREIGN_KEYS("foreignKeys"),
  STATEMENTS("statements"),
  PLAIN_STATEMENTS("plainStatements"),
  PROBE_COLUMNS("probeColumns"),
  TERMINALS("terminals"),
  TERMINAL_OFFSET("terminalOffset"),
  TERMINALS_TOTAL("terminalsTotal"),
  RUN_MINS("runMins"),
  RUN_SECONDS("runSeconds"),
  RUN_TXNS_PER_TERMINAL("runTxnsPerTerminal"),
  WARMUP_SECONDS("warmupSeconds"),
  LIMIT_TXNS_PER_MIN("limitTxnsPerMin"),
  TERMINAL_WAREHOUSE_FIXED("terminalWarehouseFixed"),
  NEW_ORDER_WEIGHT("newOrderWeight"),
  PAYMENT_WEIGHT("paymentWeight"),
  ORDER_STATUS_WEIGHT("orderStatusWeight"),
  DELIVERY_WEIGHT("deliveryWeight"),
  STOCK_LEVEL_WEIGHT("stockLevelWeight"),
  SEED("seed"),
  DEADLINE_SECONDS("deadlineSeconds");

  final String text;

  Name(String text) {
    this.text = text;
  }

  static Optional<Name> of(String text) {
    return Arrays.stream(values()).filter(name -> name.text.equals(text)).findFirst();
  }

  @Override
  public String toString() {
    return text;
  }
}
