package io.encbench.tpcc.load;

import java.io.IOException;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;

/**
 * One table and what belongs into it (clause 4.3.3.1).
 *
 * <p>Every table draws from random streams of its own, so that its rows depend on nothing but the
 * seed, and any number of workers may fill the tables in any order.
 */
abstract class Table {
  static final int DISTRICTS = 10;
  static final int CUSTOMERS = 3000;
  static final int ORDERS = 3000;

  /** The first order of a district that was not delivered yet. */
  static final int FIRST_NEW_ORDER = 2101;

  static final int ITEMS = 100_000;

  private final String name;
  private final List<String> columns;

  /** A table by its columns, separated by spaces, in the order in which rows are written. */
  Table(String name, String columns) {
    this.name = name;
    this.columns = Arrays.asList(columns.split(" "));
  }

  final String name() {
    return name;
  }

  final List<String> columns() {
    return columns;
  }

  /** Whether it has rows of each warehouse; otherwise it is written once, as of warehouse 0. */
  boolean perWarehouse() {
    return true;
  }

  /** Writes the rows of one warehouse. */
  abstract void write(int warehouse, RowWriter out) throws SQLException, IOException;

  @Override
  public String toString() {
    return name;
  }
}
