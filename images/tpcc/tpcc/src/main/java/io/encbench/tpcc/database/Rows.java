package io.encbench.tpcc.database;

import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.LocalDateTime;

/** The rows of one result, whose cells are counted as they are gone through. */
public final class Rows implements AutoCloseable {
  /** SQL's own code for "no data". */
  private static final String NO_DATA = "02000";

  private final ResultSet rows;
  private final Traffic traffic;
  private final int columns;

  Rows(ResultSet rows, Traffic traffic) throws SQLException {
    this.rows = rows;
    this.traffic = traffic;
    this.columns = rows.getMetaData().getColumnCount();
  }

  /** What to throw where the database lacks something. */
  public static SQLException missing(String what) {
    return new SQLException("the database has no such " + what, NO_DATA);
  }

  /** Whether there is a further row. */
  public boolean next() throws SQLException {
    if (!rows.next()) {
      return false;
    }
    traffic.received(columns);
    return true;
  }

  /** Goes to the only row, which must be there. */
  public Rows one(String what) throws SQLException {
    if (!next()) {
      close();
      throw missing(what);
    }
    return this;
  }

  public int number(int column) throws SQLException {
    return rows.getInt(column);
  }

  public BigDecimal decimal(int column) throws SQLException {
    return rows.getBigDecimal(column);
  }

  public String text(int column) throws SQLException {
    return rows.getString(column);
  }

  public LocalDateTime time(int column) throws SQLException {
    return rows.getObject(column, LocalDateTime.class);
  }

  /** Reads these columns of the row, as a terminal would to show them. */
  public void show(int first, int last) throws SQLException {
    for (int column = first; column <= last; column++) {
      rows.getString(column);
    }
  }

  @Override
  public void close() throws SQLException {
    rows.close();
  }
}
