package io.encbench.jdbc;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The key of one of the proxy's connections, by HKDF with SHA-256 (RFC 5869): the MEK encrypts
 * nothing itself, and each algorithm has keys of its own.
 */
final class ConnectionKey {
  private static final String INFO = "encbench column ";
  private static final String HMAC = "HmacSHA256";

  private ConnectionKey() {}

  /**
   * Derives.
   *
   * @param algorithm by the name that a mode has for it
   */
  static byte[] derive(byte[] mek, String algorithm, byte[] keyId) throws GeneralSecurityException {
    byte[] extracted = hmac(keyId, mek);
    byte[] info = (INFO + algorithm + '\1').getBytes(StandardCharsets.US_ASCII);
    return Arrays.copyOf(hmac(extracted, info), Mek.BYTES);
  }

  private static byte[] hmac(byte[] key, byte[] text) throws GeneralSecurityException {
    Mac mac = Mac.getInstance(HMAC);
    mac.init(new SecretKeySpec(key, HMAC));
    return mac.doFinal(text);
  }
}
