package io.encbench.jdbc;

import javax.sql.rowset.serial.SerialException;

/** What a program may ask for of a large object: a part that begins within it. */
final class Part {
  private Part() {}

  /** How long the part is, for what is not there is left out. */
  static int length(long whole, long from, long wanted) throws SerialException {
    if (from < 1 || from > whole + 1 || wanted < 0) {
      throw new SerialException(
          "a large object of length "
              + whole
              + " has no part of length "
              + wanted
              + " from position "
              + from
              + " on");
    }
    return (int) Math.min(wanted, whole + 1 - from);
  }
}
