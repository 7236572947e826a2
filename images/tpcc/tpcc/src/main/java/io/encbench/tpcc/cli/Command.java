package io.encbench.tpcc.cli;

import java.util.Arrays;
import java.util.Optional;

/** What the client can do. */
public enum Command {
  LOAD(
      "load",
      "drop the tables, then create and fill them",
      "Needs the properties db, driver, conn, user and warehouses; takes passwordFile, mekFile, connFile (in place of conn), loadWorkers\n"
          + "(4), foreignKeys (true) and seed (1). The same seed makes the same data."),
  RUN(
      "run",
      "drive the five transactions and report",
      "Needs, beside those of load, terminals and one of runMins, runSeconds and\n"
          + "runTxnsPerTerminal; takes warmupSeconds (0), limitTxnsPerMin (0, no limit),\n"
          + "terminalWarehouseFixed (false), statements (lean), plainStatements (false),\n"
          + "probeColumns (false), the five weights newOrderWeight, paymentWeight,\n"
          + "orderStatusWeight, deliveryWeight and stockLevelWeight (45, 43, 4, 4, 4), seed (1),\n"
          + "deadlineSeconds (30) and, for several clients that share the terminals, terminalOffset\n"
          + "and terminalsTotal. Ends with 1 if the database was lost, after a report."),
  CHECK(
      "check",
      "ask the six consistency queries",
      "Needs the properties db, driver, conn, user and warehouses. Prints each query's result and\n"
          + "ends with 1 if one of them finds a contradiction."),
  CHECK_ALL(
      "check-all",
      "ask these and the specification's conditions 5 to 12",
      "Like check, of a database that rests. The further queries read every order, line, customer\n"
          + "and payment: minutes for a hundred warehouses."),
  DROP("drop", "drop the tables", "Needs the properties db, driver, conn, user and warehouses.");

  private final String word;
  private final String summary;
  private final String details;

  Command(String word, String summary, String details) {
    this.word = word;
    this.summary = summary;
    this.details = details;
  }

  static Optional<Command> of(String word) {
    return Arrays.stream(values()).filter(command -> command.word.equals(word)).findFirst();
  }

  String word() {
    return word;
  }

  String summary() {
    return summary;
  }

  String details() {
    return details;
  }
}
