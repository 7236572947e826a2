package io.encbench.jdbc;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Numbers within arrays of bytes, the highest byte first. */
final class BigEndian {
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle INTS =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

  private BigEndian() {}

  static long getLong(byte[] bytes, int at) {
    return (long) LONGS.get(bytes, at);
  }

  static void putLong(byte[] bytes, int at, long number) {
    LONGS.set(bytes, at, number);
  }

  static int getInt(byte[] bytes, int at) {
    return (int) INTS.get(bytes, at);
  }

  static void putInt(byte[] bytes, int at, int number) {
    INTS.set(bytes, at, number);
  }
}
