package io.encbench.jdbc;

/**
 * What the proxy says of an encrypted column before any value has come: it packs the server's
 * description into the length that it announces, which drivers hand out as the precision.
 *
 * <p>{@code docs/design/0007-columns.md} has the bits.
 *
 * @param length in bytes, as the server said it, at most 65,535
 */
record Announced(ColumnType type, boolean unsigned, int decimals, int length) {
  private static final int MARK = 1 << 30;
  private static final int KIND_AT = 24;
  private static final int UNSIGNED = 1 << 23;
  private static final int BINARY = 1 << 22;
  private static final int DECIMALS_AT = 16;
  private static final int SIX_BITS = 0x3F;
  private static final int LENGTH = 0xFFFF;

  /** Codes from here on stand for those from 0xF0 on. */
  private static final int HIGH_KINDS = 0x30;

  /**
   * Null if no proxy has announced it. The largest int is what drivers say of a LONGBLOB or where
   * they know no length; no proxy announces it, because it would be of 63 decimals.
   */
  static Announced of(int precision) {
    if ((precision & MARK) == 0 || precision < 0 || precision == Integer.MAX_VALUE) {
      return null;
    }
    int kind = precision >> KIND_AT & SIX_BITS;
    kind = kind >= HIGH_KINDS ? kind | 0xC0 : kind;
    int collation = (precision & BINARY) != 0 ? CharacterSets.BINARY : 0;
    return new Announced(
        ColumnType.of(kind, 0, collation),
        (precision & UNSIGNED) != 0,
        precision >> DECIMALS_AT & SIX_BITS,
        precision & LENGTH);
  }

  /** Whether it is a {@code TINYINT(1)} that the inner driver takes for a truth value. */
  boolean isTruth(Inner inner) {
    return type == ColumnType.TINYINT
        && length == 1
        && (!unsigned || Quirks.unsignedIsTruth(inner));
  }
}
