package io.encbench.jdbc;

/**
 * The header that envelopes of a column have, of which one was opened: all but their counters.
 *
 * @param bytes the header itself
 * @param algorithm with the key that opens them
 */
record Header(byte[] bytes, Algorithm algorithm, Description description) {

  boolean isOf(byte[] envelope) {
    return Envelope.haveSameHeader(bytes, envelope);
  }
}
