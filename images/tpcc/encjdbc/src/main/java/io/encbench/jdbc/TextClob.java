package io.encbench.jdbc;

import java.sql.NClob;
import java.sql.SQLException;
import javax.sql.rowset.serial.SerialClob;
import javax.sql.rowset.serial.SerialException;

/** A text as either kind of large object; the JDK's own does not let an empty one be read. */
final class TextClob extends SerialClob implements NClob {
  private static final long serialVersionUID = 1L;

  TextClob(String text) throws SQLException {
    super(text.toCharArray());
  }

  @Override
  public String getSubString(long from, int length) throws SerialException {
    return length() == 0 ? "" : super.getSubString(from, length);
  }
}
