package io.encbench.jdbc;

import java.security.GeneralSecurityException;

/** One of the algorithms with the key of one connection. Only one thread at a time may use it. */
interface Algorithm {
  /**
   * The envelope's content; AEADBadTagException if key, column and envelope do not belong together.
   *
   * @param binding the column
   */
  byte[] open(byte[] envelope, Binding binding) throws GeneralSecurityException;
}
