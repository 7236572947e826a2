package io.encbench.jdbc;

import java.security.GeneralSecurityException;
import javax.crypto.Cipher;
import javax.crypto.spec.SecretKeySpec;

/** AES-128-GCM, of which the JDK encrypts the blocks, by the processor's own instructions. */
final class Aes extends Gcm {
  private final Cipher cipher;

  Aes(byte[] key) throws GeneralSecurityException {
    // Blocks by themselves: counters, which never repeat.
    this.cipher = Cipher.getInstance("AES/ECB/NoPadding");
    cipher.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(key, "AES"));
    keyed();
  }

  @Override
  void encrypt(byte[] from, byte[] to, int count) throws GeneralSecurityException {
    cipher.update(from, 0, count * Ghash.BLOCK, to, 0);
  }
}
