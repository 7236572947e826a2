package io.encbench.jdbc;

import javax.crypto.AEADBadTagException;
import org.bouncycastle.crypto.InvalidCipherTextException;
import org.bouncycastle.crypto.engines.SM4Engine;
import org.bouncycastle.crypto.modes.GCMBlockCipher;
import org.bouncycastle.crypto.modes.GCMModeCipher;
import org.bouncycastle.crypto.params.AEADParameters;
import org.bouncycastle.crypto.params.KeyParameter;

/**
 * SM4-128-GCM by BouncyCastle's lightweight API, without a security provider.
 *
 * <p>The key goes in once: its schedule and the table of multiples stay for all nonces.
 */
final class Sm4 implements Algorithm {
  private final GCMModeCipher cipher = GCMBlockCipher.newInstance(new SM4Engine());
  private final byte[] nonce = new byte[Envelope.NONCE_BYTES];
  private KeyParameter key;

  Sm4(byte[] key) {
    this.key = new KeyParameter(key);
  }

  @Override
  public byte[] open(byte[] envelope, byte[] binding) throws AEADBadTagException {
    Envelope.nonce(envelope, nonce);
    cipher.init(false, new AEADParameters(key, 8 * Envelope.TAG_BYTES, nonce));
    // From now on the one that it has is meant.
    key = null;
    cipher.processAADBytes(envelope, 0, Envelope.HEADER_BYTES);
    cipher.processAADBytes(binding, 0, binding.length);
    int length = envelope.length - Envelope.CONTENT_AT;
    byte[] content = new byte[length - Envelope.TAG_BYTES];
    try {
      int done = cipher.processBytes(envelope, Envelope.CONTENT_AT, length, content, 0);
      cipher.doFinal(content, done);
    } catch (InvalidCipherTextException error) {
      throw new AEADBadTagException(error.getMessage());
    }
    return content;
  }
}
