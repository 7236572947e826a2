package io.encbench.jdbc;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.Reader;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.sql.NClob;
import java.sql.SQLException;
import javax.sql.rowset.serial.SerialClob;
import javax.sql.rowset.serial.SerialException;

/**
 * A text as either kind of large object.
 *
 * <p>The JDK's own does not let an empty one be read, nor more than there is, leaves out the first
 * character of a part, and has no stream of bytes.
 */
final class TextClob extends SerialClob implements NClob {
  private static final long serialVersionUID = 1L;

  TextClob(String text) throws SQLException {
    super(text.toCharArray());
  }

  @Override
  public String getSubString(long from, int length) throws SerialException {
    int there = Part.length(length(), from, length);
    return there == 0 ? "" : super.getSubString(from, there);
  }

  @Override
  public Reader getCharacterStream(long from, long length) throws SQLException {
    return new StringReader(getSubString(from, Part.length(length(), from, length)));
  }

  /** In UTF-8, as the drivers have it. */
  @Override
  public InputStream getAsciiStream() throws SerialException {
    String text = getSubString(1, (int) length());
    return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
  }
}
