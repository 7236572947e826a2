package io.encbench.jdbc;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import javax.crypto.AEADBadTagException;

/**
 * Galois/Counter mode (NIST SP 800-38D) for many short values under one key.
 *
 * <p>The JDK's own and BouncyCastle's set themselves up anew for each nonce, which takes several
 * times as long as it takes to open a value of some ten bytes. Here what does not change stays: the
 * key's schedule and its table, and the hash of what stands in front of the values of a column. All
 * blocks of a value are encrypted together. {@code docs/design/0007-columns.md} has the figures.
 */
abstract class Gcm implements Algorithm {
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle INTS =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

  /** How many blocks are encrypted at once. */
  private static final int MOST = 48;

  private final byte[] counters = new byte[MOST * Ghash.BLOCK];

  /** What the counters encrypt to. Apart, because the JDK copies what it encrypts in its place. */
  private final byte[] blocks = new byte[MOST * Ghash.BLOCK];

  private Ghash hash;

  /** What the hash is after the header and the name of a column. */
  static final class Prefix {
    private final Gcm owner;
    private final byte[] header;
    private final long high;
    private final long low;

    private Prefix(Gcm owner, byte[] header) {
      this.owner = owner;
      this.header = header;
      this.high = owner.hash.high();
      this.low = owner.hash.low();
    }
  }

  /** Encrypts that many blocks, each by itself; up to {@link #MOST} fit in. */
  abstract void encrypt(byte[] from, byte[] to, int count) throws GeneralSecurityException;

  /** Called by whatever extends this, when it can encrypt. */
  final void keyed() throws GeneralSecurityException {
    encrypt(counters, blocks, 1);
    hash = new Ghash(blocks);
  }

  @Override
  public final byte[] open(byte[] envelope, Binding binding) throws GeneralSecurityException {
    int length = envelope.length - Envelope.OVERHEAD;
    Prefix prefix = prefix(envelope, binding);
    hash.start(prefix.high, prefix.low);
    int bound = Envelope.HEADER_BYTES + binding.name().length;
    hash.finish(envelope, Envelope.CONTENT_AT, length, bound);

    // The first block is the tag's, and the text begins with the second.
    int end = Ghash.BLOCK + length;
    int filled = fill(envelope, 0, end);
    int tag = Envelope.CONTENT_AT + length;
    long high = hash.high() ^ (long) LONGS.get(blocks, 0);
    long low = hash.low() ^ (long) LONGS.get(blocks, Long.BYTES);
    long wrong = high ^ (long) LONGS.get(envelope, tag);
    wrong |= low ^ (long) LONGS.get(envelope, tag + Long.BYTES);
    if (wrong != 0) {
      throw new AEADBadTagException("the tag is another");
    }
    byte[] content = new byte[length];
    combine(envelope, content, 0, Ghash.BLOCK, Math.min(end, filled));
    for (int done = filled; done < end; done += blocks.length) {
      filled = fill(envelope, done, end);
      combine(envelope, content, done - Ghash.BLOCK, 0, Math.min(end - done, filled));
    }
    return content;
  }

  private Prefix prefix(byte[] envelope, Binding binding) {
    Prefix known = binding.prefix;
    if (known != null
        && known.owner == this
        && Arrays.equals(
            known.header, 0, Envelope.HEADER_BYTES, envelope, 0, Envelope.HEADER_BYTES)) {
      return known;
    }
    byte[] name = binding.name();
    int length = Envelope.HEADER_BYTES + name.length;
    // With zeros up to a whole block.
    byte[] bound = new byte[(length + Ghash.BLOCK - 1) / Ghash.BLOCK * Ghash.BLOCK];
    System.arraycopy(envelope, 0, bound, 0, Envelope.HEADER_BYTES);
    System.arraycopy(name, 0, bound, Envelope.HEADER_BYTES, name.length);
    hash.start(0, 0);
    hash.add(bound, 0, bound.length);
    binding.prefix = new Prefix(this, Arrays.copyOf(envelope, Envelope.HEADER_BYTES));
    return binding.prefix;
  }

  /** Encrypts counters from a place in the key stream on, as far as they fit in; says how far. */
  private int fill(byte[] envelope, int from, int end) throws GeneralSecurityException {
    int count = Math.min(MOST, (end - from + Ghash.BLOCK - 1) / Ghash.BLOCK);
    long nonce = (long) LONGS.get(envelope, Envelope.COUNTER_AT);
    for (int i = 0; i < count; i++) {
      int at = i * Ghash.BLOCK;
      // Four zeros, the envelope's counter, and the block's, which begins with 1.
      LONGS.set(counters, at, nonce >>> Integer.SIZE);
      INTS.set(counters, at + 8, (int) nonce);
      INTS.set(counters, at + 12, from / Ghash.BLOCK + i + 1);
    }
    encrypt(counters, blocks, count);
    return count * Ghash.BLOCK;
  }

  /** Gives the content from a place on, by the key stream between two places of the blocks. */
  private void combine(byte[] envelope, byte[] content, int to, int from, int end) {
    int at = from;
    int offset = to - from;
    for (; at + Long.BYTES <= end; at += Long.BYTES) {
      long sealed = (long) LONGS.get(envelope, Envelope.CONTENT_AT + offset + at);
      LONGS.set(content, offset + at, sealed ^ (long) LONGS.get(blocks, at));
    }
    for (; at < end; at++) {
      content[offset + at] = (byte) (envelope[Envelope.CONTENT_AT + offset + at] ^ blocks[at]);
    }
  }
}
