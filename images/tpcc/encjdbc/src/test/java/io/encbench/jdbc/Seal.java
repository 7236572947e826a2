package io.encbench.jdbc;

import java.io.ByteArrayOutputStream;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.bouncycastle.crypto.InvalidCipherTextException;
import org.bouncycastle.crypto.engines.SM4Engine;
import org.bouncycastle.crypto.modes.GCMBlockCipher;
import org.bouncycastle.crypto.modes.GCMModeCipher;
import org.bouncycastle.crypto.params.AEADParameters;
import org.bouncycastle.crypto.params.KeyParameter;

/** Makes envelopes as the proxy does, from what the server says of a column. */
record Seal(byte[] key, int algorithm) {
  static final int AES = 1;
  static final int SM4 = 2;

  private static final SecureRandom RANDOM = new SecureRandom();

  /** An envelope with a nonce that was never used. */
  byte[] seal(int type, int decimals, int flags, int collation, byte[] text) {
    byte[] nonce = new byte[12];
    RANDOM.nextBytes(nonce);
    return seal(header(type, decimals, flags, collation), nonce, text);
  }

  byte[] header(int type, int decimals, int flags, int collation) {
    return new byte[] {
      0,
      'E',
      'N',
      'C',
      1,
      (byte) algorithm,
      (byte) type,
      (byte) decimals,
      (byte) (flags >> 8),
      (byte) flags,
      (byte) (collation >> 8),
      (byte) collation
    };
  }

  byte[] seal(byte[] header, byte[] nonce, byte[] text) {
    ByteArrayOutputStream envelope = new ByteArrayOutputStream();
    envelope.writeBytes(header);
    envelope.writeBytes(nonce);
    envelope.writeBytes(algorithm == AES ? aes(header, nonce, text) : sm4(header, nonce, text));
    return envelope.toByteArray();
  }

  private byte[] aes(byte[] header, byte[] nonce, byte[] text) {
    try {
      Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
      cipher.init(
          Cipher.ENCRYPT_MODE, new SecretKeySpec(key, "AES"), new GCMParameterSpec(128, nonce));
      cipher.updateAAD(header);
      return cipher.doFinal(text);
    } catch (GeneralSecurityException error) {
      throw new IllegalStateException(error);
    }
  }

  private byte[] sm4(byte[] header, byte[] nonce, byte[] text) {
    try {
      GCMModeCipher cipher = GCMBlockCipher.newInstance(new SM4Engine());
      cipher.init(true, new AEADParameters(new KeyParameter(key), 128, nonce, header));
      byte[] out = new byte[cipher.getOutputSize(text.length)];
      int done = cipher.processBytes(text, 0, text.length, out, 0);
      cipher.doFinal(out, done);
      return out;
    } catch (InvalidCipherTextException error) {
      throw new IllegalStateException(error);
    }
  }
}
