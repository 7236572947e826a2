package io.encbench.tpcc.load;

import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import org.postgresql.copy.CopyIn;
import org.postgresql.copy.CopyManager;

/** Rows as PostgreSQL's COPY in its text format, which is by far the fastest way into a table. */
final class CopyWriter implements RowWriter {
  private static final int CHUNK = 1 << 16;

  private final CopyIn copy;
  private final StringBuilder rows = new StringBuilder(CHUNK + 4096);
  private boolean rowBegun;

  CopyWriter(CopyManager manager, Table table) throws SQLException {
    copy =
        manager.copyIn(
            "COPY " + table.name() + " (" + String.join(", ", table.columns()) + ") FROM STDIN");
  }

  @Override
  public void number(long value) {
    separate();
    rows.append(value);
  }

  @Override
  public void decimal(long unscaled, int scale) {
    separate();
    Decimals.append(rows, unscaled, scale);
  }

  @Override
  public void text(String value) {
    separate();
    rows.append(value);
  }

  @Override
  public void loadTime() {
    text(LoadTime.TEXT);
  }

  @Override
  public void nothing() {
    text("\\N");
  }

  @Override
  public void endRow() throws SQLException {
    rows.append('\n');
    rowBegun = false;
    if (rows.length() >= CHUNK) {
      flush();
    }
  }

  @Override
  public void finish() throws SQLException {
    flush();
    copy.endCopy();
  }

  @Override
  public void close() throws SQLException {
    if (copy.isActive()) {
      copy.cancelCopy();
    }
  }

  private void separate() {
    if (rowBegun) {
      rows.append('\t');
    }
    rowBegun = true;
  }

  private void flush() throws SQLException {
    byte[] bytes = rows.toString().getBytes(StandardCharsets.ISO_8859_1);
    copy.writeToCopy(bytes, 0, bytes.length);
    rows.setLength(0);
  }
}
