package io.encbench.jdbc;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.bouncycastle.crypto.InvalidCipherTextException;
import org.bouncycastle.crypto.engines.SM4Engine;
import org.bouncycastle.crypto.modes.GCMBlockCipher;
import org.bouncycastle.crypto.modes.GCMModeCipher;
import org.bouncycastle.crypto.params.AEADParameters;
import org.bouncycastle.crypto.params.KeyParameter;

/** Makes envelopes as one connection of the proxy does, from what the server says of a column. */
final class Seal {
  /** The content as it is, with a tag of zeros: what an envelope costs without cryptography. */
  static final int NONE = 0;

  static final int AES = 1;
  static final int SM4 = 2;

  private final int algorithm;
  private final byte[] keyId;
  private final byte[] key;
  private long counter;

  Seal(byte[] mek, int algorithm) {
    this(mek, algorithm, "randomrandom");
  }

  Seal(byte[] mek, int algorithm, String keyId) {
    this.algorithm = algorithm;
    this.keyId = keyId.getBytes(StandardCharsets.US_ASCII);
    try {
      String name = algorithm == AES ? "AES_128_GCM" : "SM4_128_GCM";
      this.key = ConnectionKey.derive(mek, name, this.keyId);
    } catch (GeneralSecurityException error) {
      throw new IllegalStateException(error);
    }
  }

  /** Counts from here on. */
  Seal from(long first) {
    counter = first;
    return this;
  }

  /** The key of the connection, for one algorithm alone. */
  Algorithm opener() throws GeneralSecurityException {
    return algorithm == AES ? new Aes(key) : new Sm4(key);
  }

  /** An envelope that is bound to a column, with a nonce that was never used. */
  byte[] seal(int type, int decimals, int flags, int collation, byte[] text, Binding binding) {
    ByteArrayOutputStream header = new ByteArrayOutputStream();
    byte[] described = {
      0,
      'E',
      'N',
      'C',
      2,
      (byte) algorithm,
      (byte) type,
      (byte) decimals,
      (byte) (flags >> 8),
      (byte) flags,
      (byte) (collation >> 8),
      (byte) collation
    };
    header.writeBytes(described);
    header.writeBytes(keyId);
    byte[] number = ByteBuffer.allocate(8).putLong(counter++).array();
    byte[] nonce = ByteBuffer.allocate(12).putInt(0).put(number).array();
    ByteArrayOutputStream bound = new ByteArrayOutputStream();
    bound.writeBytes(header.toByteArray());
    bound.writeBytes(binding.name());
    header.writeBytes(number);
    byte[] aad = bound.toByteArray();
    header.writeBytes(
        switch (algorithm) {
          case AES -> aes(aad, nonce, text);
          case SM4 -> sm4(aad, nonce, text);
          default -> Arrays.copyOf(text, text.length + Envelope.TAG_BYTES);
        });
    return header.toByteArray();
  }

  private byte[] aes(byte[] aad, byte[] nonce, byte[] text) {
    try {
      Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
      cipher.init(
          Cipher.ENCRYPT_MODE, new SecretKeySpec(key, "AES"), new GCMParameterSpec(128, nonce));
      cipher.updateAAD(aad);
      return cipher.doFinal(text);
    } catch (GeneralSecurityException error) {
      throw new IllegalStateException(error);
    }
  }

  private byte[] sm4(byte[] aad, byte[] nonce, byte[] text) {
    try {
      GCMModeCipher cipher = GCMBlockCipher.newInstance(new SM4Engine());
      cipher.init(true, new AEADParameters(new KeyParameter(key), 128, nonce, aad));
      byte[] out = new byte[cipher.getOutputSize(text.length)];
      int done = cipher.processBytes(text, 0, text.length, out, 0);
      cipher.doFinal(out, done);
      return out;
    } catch (InvalidCipherTextException error) {
      throw new IllegalStateException(error);
    }
  }
}
