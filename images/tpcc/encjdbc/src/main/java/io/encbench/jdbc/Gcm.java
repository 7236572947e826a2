package io.encbench.jdbc;

import java.security.GeneralSecurityException;
import java.util.Arrays;
import javax.crypto.AEADBadTagException;

/**
 * Galois/Counter mode (NIST SP 800-38D) for many short values under one key.
 *
 * <p>The JDK's own and BouncyCastle's set themselves up anew for each nonce, which takes several
 * times as long as it takes to open a value of some ten bytes. Here what does not change stays: the
 * key's schedule and its table, and the hash of what stands in front of the values of a column. And
 * the blocks of many values are encrypted together. {@code docs/design/0007-columns.md} has the
 * figures.
 */
abstract class Gcm implements Algorithm {
  private final KeyStream stream = new KeyStream(this);
  private Ghash hash;

  /** What the hash is after the header and the name of a column. */
  static final class Prefix {
    private final Gcm owner;
    private final byte[] header;
    private final Ghash.State state;

    /** The same in front of a text of one block, and of two. */
    private final Ghash.State beforeOne;

    private final Ghash.State beforeTwo;

    private Prefix(Gcm owner, byte[] header, int bound) {
      this.owner = owner;
      this.header = header;
      this.state = owner.hash.state();
      this.beforeOne = owner.hash.before(state, 1, bound);
      this.beforeTwo = owner.hash.before(state, 2, bound);
    }
  }

  /** Encrypts that many blocks, each by itself, between arrays of {@link KeyStream#ROOM} bytes. */
  abstract void encrypt(byte[] from, byte[] to, int count) throws GeneralSecurityException;

  /** Called by whatever extends this, when it can encrypt. */
  final void keyed() throws GeneralSecurityException {
    byte[] key = new byte[KeyStream.ROOM];
    encrypt(key, key, 1);
    hash = new Ghash(key);
  }

  @Override
  public final byte[] open(byte[] envelope, Binding binding) throws GeneralSecurityException {
    int length = envelope.length - Envelope.OVERHEAD;
    hash(envelope, length, prefix(envelope, binding), binding);

    // The first block is the tag's, and the text begins with the second.
    long counter = BigEndian.getLong(envelope, Envelope.COUNTER_AT);
    int end = Ghash.BLOCK + length;
    int at = stream.begin(counter, end, binding);
    int tag = Envelope.CONTENT_AT + length;
    byte[] bytes = stream.bytes();
    long high = hash.high() ^ BigEndian.getLong(bytes, at);
    long low = hash.low() ^ BigEndian.getLong(bytes, at + Long.BYTES);
    long wrong = high ^ BigEndian.getLong(envelope, tag);
    wrong |= low ^ BigEndian.getLong(envelope, tag + Long.BYTES);
    if (wrong != 0) {
      throw new AEADBadTagException("the tag is another");
    }
    byte[] content = new byte[length];
    int done = Math.min(end, KeyStream.ROOM);
    combine(envelope, content, 0, at + Ghash.BLOCK, done - Ghash.BLOCK);
    while (done < end) {
      stream.resume(counter, done, end);
      int count = Math.min(end - done, KeyStream.ROOM);
      combine(envelope, content, done - Ghash.BLOCK, 0, count);
      done += count;
    }
    return content;
  }

  private void hash(byte[] envelope, int length, Prefix prefix, Binding binding) {
    if (0 < length && length <= Ghash.SHORT) {
      hash.start(length <= Ghash.BLOCK ? prefix.beforeOne : prefix.beforeTwo);
      hash.finishShort(envelope, Envelope.CONTENT_AT, length);
    } else {
      hash.start(prefix.state);
      hash.finish(envelope, Envelope.CONTENT_AT, length, bound(binding));
    }
  }

  private Prefix prefix(byte[] envelope, Binding binding) {
    Prefix known = binding.prefix;
    if (known != null && known.owner == this && Envelope.haveSameHeader(known.header, envelope)) {
      return known;
    }
    byte[] name = binding.name();
    int length = bound(binding);
    // With zeros up to a whole block.
    byte[] bound = new byte[(length + Ghash.BLOCK - 1) / Ghash.BLOCK * Ghash.BLOCK];
    System.arraycopy(envelope, 0, bound, 0, Envelope.HEADER_BYTES);
    System.arraycopy(name, 0, bound, Envelope.HEADER_BYTES, name.length);
    hash.start(Ghash.State.NOTHING);
    hash.add(bound, 0, bound.length);
    binding.prefix = new Prefix(this, Arrays.copyOf(envelope, Envelope.HEADER_BYTES), length);
    return binding.prefix;
  }

  /** How many bytes are authenticated beside the text. */
  private static int bound(Binding binding) {
    return Envelope.HEADER_BYTES + binding.name().length;
  }

  /** Gives so much of the content, by the stream from a place of its bytes on. */
  private void combine(byte[] envelope, byte[] content, int to, int from, int count) {
    byte[] bytes = stream.bytes();
    int sealed = Envelope.CONTENT_AT + to;
    int last = count - Long.BYTES;
    for (int i = 0; i < last; i += Long.BYTES) {
      BigEndian.putLong(content, to + i, clear(envelope, sealed + i, bytes, from + i));
    }
    if (last >= 0) {
      // Some bytes once more, instead of one by one.
      BigEndian.putLong(content, to + last, clear(envelope, sealed + last, bytes, from + last));
    } else if (count > 0) {
      // Behind the text there are others, of the tag and of the block.
      long clear = clear(envelope, sealed, bytes, from);
      for (int i = 0; i < count; i++) {
        content[to + i] = (byte) (clear >>> Byte.SIZE * (Long.BYTES - 1 - i));
      }
    }
  }

  private static long clear(byte[] envelope, int sealed, byte[] stream, int from) {
    return BigEndian.getLong(envelope, sealed) ^ BigEndian.getLong(stream, from);
  }
}
