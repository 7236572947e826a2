package io.encbench.jdbc;

import java.security.GeneralSecurityException;
import java.sql.SQLException;
import java.sql.SQLNonTransientException;
import java.util.Arrays;
import java.util.function.Supplier;
import javax.crypto.AEADBadTagException;

/**
 * Opens envelopes with the key of one connection.
 *
 * <p>The proxy has one key for a connection, so all values of a connection have one key id; those
 * of another were kept and put there. That cannot be told of the first value, so whoever replays a
 * whole connection is believed. One value is opened at a time, because a connection's result sets
 * may be read by several threads, although programs seldom do that. The benchmark has a subclass
 * without cryptography.
 */
class Opener {
  private static final int AES = 1;
  private static final int SM4 = 2;

  private final Mek mek;
  private final boolean stored;

  /** The header of the first value that was opened, whose algorithm and key id all others have. */
  private byte[] first;

  private Algorithm opener;

  /**
   * With no key, null, every envelope is refused.
   *
   * @param stored whether the values of several of the proxy's connections are opened
   */
  Opener(Mek mek, boolean stored) {
    this.mek = mek;
    this.stored = stored;
  }

  final boolean hasKey() {
    return mek != null;
  }

  /**
   * The value in an envelope.
   *
   * @param binding the column
   * @param where the column, for messages
   */
  final Value open(byte[] envelope, Binding binding, Inner inner, Supplier<String> where)
      throws SQLException {
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
              + " of the envelope and this driver knows 2: use driver and proxy of one release");
    }
    byte[] content;
    try {
      synchronized (this) {
        boolean another = first == null || !Envelope.haveSameKey(first, envelope);
        if (another && first != null && !stored) {
          throw refused(
              where.get()
                  + " was encrypted for another connection: it is not what the proxy has sent here");
        }
        Algorithm algorithm = another ? algorithm(envelope, where) : opener;
        content = algorithm.open(envelope, binding);
        if (another) {
          first = Arrays.copyOf(envelope, Envelope.HEADER_BYTES);
          opener = algorithm;
        }
      }
    } catch (AEADBadTagException error) {
      throw refused(
          where.get()
              + " does not open with "
              + mek
              + ": give the driver the key with which the proxy encrypts; if it has that key, the"
              + " value was changed or belongs to another column");
    } catch (GeneralSecurityException error) {
      throw new SQLException(where.get() + " cannot be decrypted by this Java", "HY000", error);
    }
    return new Value(envelope, content, inner, where);
  }

  /** The algorithm that the envelope names, with the key of its connection. */
  Algorithm algorithm(byte[] envelope, Supplier<String> where)
      throws SQLException, GeneralSecurityException {
    byte[] keyId = Envelope.keyId(envelope);
    switch (envelope[Envelope.ALGORITHM_AT]) {
      case AES:
        return new Aes(ConnectionKey.derive(mek.bytes(), "AES_128_GCM", keyId));
      case SM4:
        return new Sm4(ConnectionKey.derive(mek.bytes(), "SM4_128_GCM", keyId));
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
