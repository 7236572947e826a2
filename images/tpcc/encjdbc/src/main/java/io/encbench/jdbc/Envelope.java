package io.encbench.jdbc;

/**
 * The layout of an encrypted value: header, nonce, ciphertext, tag; {@code
 * docs/design/0007-columns.md} has the table.
 */
final class Envelope {
  static final int VERSION_AT = 4;
  static final int ALGORITHM_AT = 5;
  static final int TYPE_AT = 6;
  static final int DECIMALS_AT = 7;
  static final int FLAGS_AT = 8;
  static final int COLLATION_AT = 10;
  static final int NONCE_AT = 12;
  static final int CONTENT_AT = 24;

  static final int NONCE_BYTES = 12;
  static final int TAG_BYTES = 16;
  static final int OVERHEAD = CONTENT_AT + TAG_BYTES;

  /** What is authenticated beside the content: everything before the nonce. */
  static final int HEADER_BYTES = NONCE_AT;

  static final int VERSION = 1;

  private Envelope() {}

  /** Whether this bears the magic and is long enough; null is none. */
  static boolean is(byte[] bytes) {
    return bytes != null
        && bytes.length >= OVERHEAD
        && bytes[0] == 0
        && bytes[1] == 'E'
        && bytes[2] == 'N'
        && bytes[3] == 'C';
  }

  static int uint16(byte[] bytes, int at) {
    return (bytes[at] & 0xFF) << 8 | bytes[at + 1] & 0xFF;
  }
}
