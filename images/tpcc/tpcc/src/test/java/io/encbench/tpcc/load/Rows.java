package io.encbench.tpcc.load;

import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** A writer that keeps the rows as text. */
final class Rows implements RowWriter {
  final List<List<String>> rows = new ArrayList<>();
  private List<String> row = new ArrayList<>();

  static List<List<String>> of(Table table, int warehouse) throws SQLException, IOException {
    Rows writer = new Rows();
    table.write(warehouse, writer);
    return writer.rows;
  }

  @Override
  public void number(long value) {
    row.add(Long.toString(value));
  }

  @Override
  public void decimal(long unscaled, int scale) {
    StringBuilder text = new StringBuilder();
    Decimals.append(text, unscaled, scale);
    row.add(text.toString());
  }

  @Override
  public void text(String value) {
    row.add(value);
  }

  @Override
  public void loadTime() {
    row.add(LoadTime.TEXT);
  }

  @Override
  public void nothing() {
    row.add(null);
  }

  @Override
  public void endRow() {
    rows.add(row);
    row = new ArrayList<>();
  }

  @Override
  public void finish() {}

  @Override
  public void close() {}
}
