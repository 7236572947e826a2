package io.encbench.jdbc;

import java.security.GeneralSecurityException;
import java.sql.SQLException;
import java.sql.SQLNonTransientException;
import java.util.function.Supplier;
import javax.crypto.AEADBadTagException;

/**
 * Opens envelopes with the key of one connection.
 *
 * <p>Ciphers are made when first needed and kept. One value is opened at a time, because a
 * connection's result sets may be read by several threads, although programs seldom do that.
 */
final class Opener {
  private static final int AES = 1;
  private static final int SM4 = 2;

  private final Mek mek;
  private Algorithm aes;
  private Algorithm sm4;

  /** With no key, null, every envelope is refused. */
  Opener(Mek mek) {
    this.mek = mek;
  }

  boolean hasKey() {
    return mek != null;
  }

  /**
   * The value in an envelope.
   *
   * @param where the column, for messages
   */
  Value open(byte[] envelope, Inner inner, Supplier<String> where) throws SQLException {
    if (mek == null) {
      throw refused(
          where.get()
              + " is encrypted and there is no key: name the MEK's file in the property "
              + Target.MEK_FILE
              + " or in the environment's "
              + Target.MEK_VARIABLE);
    }
    if (envelope[Envelope.VERSION_AT] != Envelope.VERSION) {
      throw refused(
          where.get()
              + " is in version "
              + (envelope[Envelope.VERSION_AT] & 0xFF)
              + " of the envelope and this driver knows 1: use driver and proxy of one release");
    }
    byte[] content;
    try {
      synchronized (this) {
        content = algorithm(envelope, where).open(envelope);
      }
    } catch (AEADBadTagException error) {
      throw refused(
          where.get()
              + " does not open with "
              + mek
              + ": give the driver the key with which the proxy encrypts");
    } catch (GeneralSecurityException error) {
      throw new SQLException(where.get() + " cannot be decrypted by this Java", "HY000", error);
    }
    return new Value(envelope, content, inner, where);
  }

  private Algorithm algorithm(byte[] envelope, Supplier<String> where)
      throws SQLException, GeneralSecurityException {
    switch (envelope[Envelope.ALGORITHM_AT]) {
      case AES:
        aes = aes == null ? new Aes(mek.bytes()) : aes;
        return aes;
      case SM4:
        sm4 = sm4 == null ? new Sm4(mek.bytes()) : sm4;
        return sm4;
      default:
        throw refused(
            where.get()
                + " is encrypted by algorithm "
                + (envelope[Envelope.ALGORITHM_AT] & 0xFF)
                + " and this driver knows 1 (AES) and 2 (SM4): use driver and proxy of one"
                + " release");
    }
  }

  private static SQLException refused(String why) {
    return new SQLNonTransientException(why, "28000");
  }
}
