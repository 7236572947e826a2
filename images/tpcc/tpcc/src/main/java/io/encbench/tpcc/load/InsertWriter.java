package io.encbench.tpcc.load;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.Collections;

/** Rows as batches of inserts, which every driver supports and most send as one statement. */
final class InsertWriter implements RowWriter {
  private static final int ROWS_PER_BATCH = 500;
  private static final int BATCHES_PER_COMMIT = 10;

  private final Connection connection;
  private final PreparedStatement insert;
  private int column;
  private int rows;
  private int batches;

  InsertWriter(Connection connection, Table table) throws SQLException {
    this.connection = connection;
    String places = String.join(", ", Collections.nCopies(table.columns().size(), "?"));
    insert =
        connection.prepareStatement(
            "INSERT INTO "
                + table.name()
                + " ("
                + String.join(", ", table.columns())
                + ") VALUES ("
                + places
                + ")");
  }

  @Override
  public void number(long value) throws SQLException {
    insert.setLong(++column, value);
  }

  @Override
  public void decimal(long unscaled, int scale) throws SQLException {
    insert.setBigDecimal(++column, BigDecimal.valueOf(unscaled, scale));
  }

  @Override
  public void text(String value) throws SQLException {
    insert.setString(++column, value);
  }

  @Override
  public void loadTime() throws SQLException {
    insert.setTimestamp(++column, LoadTime.TIMESTAMP);
  }

  @Override
  public void nothing() throws SQLException {
    insert.setNull(++column, Types.NULL);
  }

  @Override
  public void endRow() throws SQLException {
    insert.addBatch();
    column = 0;
    if (++rows == ROWS_PER_BATCH) {
      send();
    }
  }

  @Override
  public void finish() throws SQLException {
    send();
    connection.commit();
  }

  @Override
  public void close() throws SQLException {
    insert.close();
  }

  private void send() throws SQLException {
    if (rows > 0) {
      insert.executeBatch();
      rows = 0;
      if (++batches % BATCHES_PER_COMMIT == 0) {
        connection.commit();
      }
    }
  }
}
