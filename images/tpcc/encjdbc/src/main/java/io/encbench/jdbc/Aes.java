package io.encbench.jdbc;

import java.security.GeneralSecurityException;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/** AES-128-GCM by the JDK. Looking up a provider costs more than a value, so it is done once. */
final class Aes implements Algorithm {
  private final Cipher cipher;
  private final SecretKey key;
  private final byte[] nonce = new byte[Envelope.NONCE_BYTES];

  Aes(byte[] key) throws GeneralSecurityException {
    this.cipher = Cipher.getInstance("AES/GCM/NoPadding");
    this.key = new SecretKeySpec(key, "AES");
  }

  @Override
  public byte[] open(byte[] envelope, byte[] binding) throws GeneralSecurityException {
    Envelope.nonce(envelope, nonce);
    cipher.init(Cipher.DECRYPT_MODE, key, new GCMParameterSpec(8 * Envelope.TAG_BYTES, nonce));
    cipher.updateAAD(envelope, 0, Envelope.HEADER_BYTES);
    cipher.updateAAD(binding);
    return cipher.doFinal(envelope, Envelope.CONTENT_AT, envelope.length - Envelope.CONTENT_AT);
  }
}
