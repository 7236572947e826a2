package io.encbench.jdbc;

import java.security.GeneralSecurityException;
import java.sql.SQLException;
import java.sql.SQLNonTransientException;
import java.util.Arrays;
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

  /** Of a value that was opened, whose algorithm and key id all others have unless stored. */
  private Header last;

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
   * @param place where it was found, for messages
   * @param number of the column or parameter there
   */
  final Value open(byte[] envelope, Binding binding, Inner inner, Place place, int number)
      throws SQLException {
    try {
      Header header;
      byte[] content;
      synchronized (this) {
        header = binding.header;
        if (header != null && header.isOf(envelope)) {
          content = header.algorithm().open(envelope, binding);
        } else {
          header = header(envelope, inner, place, number);
          content = header.algorithm().open(envelope, binding);
          binding.header = header;
          last = header;
        }
      }
      return new Value(header.description(), content, place, number);
    } catch (AEADBadTagException error) {
      throw refused(
          place.text(number)
              + " does not open with "
              + mek
              + ": give the driver the key with which the proxy encrypts; if it has that key, the"
              + " value was changed or belongs to another column");
    } catch (GeneralSecurityException error) {
      throw new SQLException(
          place.text(number) + " cannot be decrypted by this Java", "HY000", error);
    }
  }

  /** The header of an envelope, if values with it may be opened. */
  private Header header(byte[] envelope, Inner inner, Place place, int number)
      throws SQLException, GeneralSecurityException {
    if (mek == null) {
      throw refused(
          place.text(number)
              + " is encrypted and there is no key: name the MEK's file in the property "
              + Target.MEK_FILE
              + " or in the environment's "
              + Target.MEK_VARIABLE);
    }
    if (envelope[Envelope.VERSION_AT] != Envelope.VERSION) {
      throw refused(
          place.text(number)
              + " is in version "
              + (envelope[Envelope.VERSION_AT] & 0xFF)
              + " of the envelope and this driver knows 2: use driver and proxy of one release");
    }
    boolean another = last == null || !Envelope.haveSameKey(last.bytes(), envelope);
    if (another && last != null && !stored) {
      throw refused(
          place.text(number)
              + " was encrypted for another connection: it is not what the proxy has sent here");
    }
    return new Header(
        Arrays.copyOf(envelope, Envelope.HEADER_BYTES),
        another ? algorithm(envelope, place, number) : last.algorithm(),
        Description.of(envelope, inner));
  }

  /** The algorithm that the envelope names, with the key of its connection. */
  Algorithm algorithm(byte[] envelope, Place place, int number)
      throws SQLException, GeneralSecurityException {
    byte[] keyId = Envelope.keyId(envelope);
    switch (envelope[Envelope.ALGORITHM_AT]) {
      case AES:
        return new Aes(ConnectionKey.derive(mek.bytes(), "AES_128_GCM", keyId));
      case SM4:
        return new Sm4(ConnectionKey.derive(mek.bytes(), "SM4_128_GCM", keyId));
      default:
        throw refused(
            place.text(number)
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
