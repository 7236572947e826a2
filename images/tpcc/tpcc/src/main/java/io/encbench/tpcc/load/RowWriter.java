package io.encbench.tpcc.load;

import java.io.IOException;
import java.sql.SQLException;

/** Takes the rows of one table, value by value in the order of its columns. */
public interface RowWriter extends AutoCloseable {
  void number(long value) throws SQLException, IOException;

  /** A decimal fraction: {@code unscaled} of the {@code scale}-th power of a tenth. */
  void decimal(long unscaled, int scale) throws SQLException, IOException;

  /** Text without anything that would have to be escaped. */
  void text(String value) throws SQLException, IOException;

  /** The moment at which all data is said to have been made. */
  void loadTime() throws SQLException, IOException;

  void nothing() throws SQLException, IOException;

  void endRow() throws SQLException, IOException;

  /** Writes what is left. Without it some rows are lost. */
  void finish() throws SQLException, IOException;

  /** Gives up whatever was not finished. */
  @Override
  void close() throws SQLException;
}
