package io.encbench.jdbc;

/**
 * What is known of a column's values without their content: by the header of an envelope, or by
 * what a proxy has announced.
 *
 * @param flags of the protocol's column definition
 * @param decimals digits after the point
 * @param length bytes at most, as the server said it; 0 where that is not known
 * @param inner whose behaviour the values have
 */
record Description(
    ColumnType type, int flags, int decimals, int collation, int length, Inner inner) {

  static Description of(byte[] envelope, Inner inner) {
    int flags = Envelope.uint16(envelope, Envelope.FLAGS_AT);
    int collation = Envelope.uint16(envelope, Envelope.COLLATION_AT);
    ColumnType type = ColumnType.of(envelope[Envelope.TYPE_AT] & 0xFF, flags, collation);
    int decimals = envelope[Envelope.DECIMALS_AT] & 0xFF;
    return new Description(type, flags, decimals, collation, 0, inner);
  }

  /**
   * What a proxy has announced.
   *
   * @param truths whether {@code TINYINT(1)} holds truth values
   */
  static Description of(Announced announced, Inner inner, boolean truths) {
    return new Description(
        truths && announced.isTruth(inner) ? ColumnType.TRUTH : announced.type(),
        announced.unsigned() ? ColumnType.UNSIGNED : 0,
        announced.decimals(),
        announced.type().isBinary() ? CharacterSets.BINARY : 0,
        announced.length(),
        inner);
  }

  /** The same of a column of that type: an envelope does not say how long its column is. */
  Description as(ColumnType known) {
    return known == type ? this : new Description(known, flags, decimals, collation, length, inner);
  }

  ColumnType.Family family() {
    return type.family;
  }

  /** A truth value is no number without a sign, whatever its TINYINT is. */
  boolean isUnsigned() {
    return type.isNumber() && type != ColumnType.TRUTH && bearsUnsigned();
  }

  /** What the server's flag says, which years and bits have as well. */
  boolean bearsUnsigned() {
    return (flags & ColumnType.UNSIGNED) != 0;
  }

  /** Digits at most; 0, which JDBC has for "not known", for what has none or does not say it. */
  int digits() {
    if (type != ColumnType.DECIMAL || length == 0) {
      return type.digits();
    }
    // The server counts the point and the sign.
    return length - (decimals > 0 ? 1 : 0) - (bearsUnsigned() ? 0 : 1);
  }

  /** Digits after the point as the inner driver reports them. */
  int scale() {
    return Quirks.hasScale(inner, type.family) ? decimals : 0;
  }
}
