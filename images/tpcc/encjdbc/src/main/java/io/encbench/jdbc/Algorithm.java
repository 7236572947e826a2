package io.encbench.jdbc;

import java.security.GeneralSecurityException;

/** One of the algorithms with one key. Only one thread at a time may use it. */
interface Algorithm {
  /** The envelope's content; AEADBadTagException if key and envelope do not belong together. */
  byte[] open(byte[] envelope) throws GeneralSecurityException;
}
