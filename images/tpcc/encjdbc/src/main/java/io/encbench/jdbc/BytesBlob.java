package io.encbench.jdbc;

import java.sql.SQLException;
import javax.sql.rowset.serial.SerialBlob;
import javax.sql.rowset.serial.SerialException;

/** Bytes as a large object; the JDK's own does not let an empty one be read, nor past the end. */
final class BytesBlob extends SerialBlob {
  private static final long serialVersionUID = 1L;

  BytesBlob(byte[] bytes) throws SQLException {
    super(bytes);
  }

  @Override
  public byte[] getBytes(long from, int length) throws SerialException {
    int there = Part.length(length(), from, length);
    return there == 0 ? new byte[0] : super.getBytes(from, there);
  }
}
