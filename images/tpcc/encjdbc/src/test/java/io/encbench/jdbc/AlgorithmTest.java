package io.encbench.jdbc;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.HexFormat;
import javax.crypto.AEADBadTagException;
import org.bouncycastle.crypto.engines.SM4Engine;
import org.bouncycastle.crypto.modes.GCMBlockCipher;
import org.bouncycastle.crypto.modes.GCMModeCipher;
import org.bouncycastle.crypto.params.AEADParameters;
import org.bouncycastle.crypto.params.KeyParameter;
import org.junit.jupiter.api.Test;

/** Known answers of the standards, and of an envelope that was made by another program. */
class AlgorithmTest {
  private static final byte[] KEY = hex("0123456789abcdeffedcba9876543210");

  /** Its header is authenticated, and is what bytes 0 to 11 of every envelope are. */
  private static final String HEADER = "00454e43 01 %02x f6 02 0080 003f";

  private static final String NONCE = "00001234567800000000abcd";

  /**
   * "-10.05" as DECIMAL(12,2), made by Python's cryptography (OpenSSL) with {@link #KEY}:
   * ciphertext and tag.
   */
  private static final String AES_CONTENT = "7feb68197e6ca3e27a484f1fab94025b8ff39d36fb4d";

  private static final String SM4_CONTENT = "9068037416f84152c4dd35f04f76f89964e84d9b2e6c";

  private static byte[] hex(String text) {
    return HexFormat.of().parseHex(text.replaceAll("\\s", ""));
  }

  private static byte[] envelope(int algorithm, String content) {
    return hex(HEADER.formatted(algorithm) + NONCE + content);
  }

  @Test
  void anAesEnvelopeOfAnotherProgramOpens() throws Exception {
    assertEquals("-10.05", new String(new Aes(KEY).open(envelope(1, AES_CONTENT))));
  }

  @Test
  void anSm4EnvelopeOfAnotherProgramOpens() throws Exception {
    assertEquals("-10.05", new String(new Sm4(KEY).open(envelope(2, SM4_CONTENT))));
  }

  /** RFC 8998, appendix A.1. */
  @Test
  void sm4InGcmModeIsThatOfRfc8998() throws Exception {
    GCMModeCipher cipher = GCMBlockCipher.newInstance(new SM4Engine());
    cipher.init(
        false,
        new AEADParameters(
            new KeyParameter(KEY),
            128,
            hex("00001234567800000000ABCD"),
            hex("FEEDFACEDEADBEEFFEEDFACEDEADBEEFABADDAD2")));
    byte[] sealed =
        hex(
            """
            17F399F08C67D5EE19D0DC9969C4BB7D
            5FD46FD3756489069157B282BB200735
            D82710CA5C22F0CCFA7CBF93D496AC15
            A56834CBCF98C397B4024A2691233B8D
            83DE3541E4C2B58177E065A9BF7B62EC""");
    byte[] open = new byte[cipher.getOutputSize(sealed.length)];
    int done = cipher.processBytes(sealed, 0, sealed.length, open, 0);
    cipher.doFinal(open, done);
    assertArrayEquals(
        hex(
            """
            AAAAAAAAAAAAAAAABBBBBBBBBBBBBBBB
            CCCCCCCCCCCCCCCCDDDDDDDDDDDDDDDD
            EEEEEEEEEEEEEEEEFFFFFFFFFFFFFFFF
            EEEEEEEEEEEEEEEEAAAAAAAAAAAAAAAA"""),
        open);
  }

  /** GB/T 32907-2016, appendix A.1: one block by itself. */
  @Test
  void sm4IsThatOfTheStandard() {
    SM4Engine engine = new SM4Engine();
    engine.init(true, new KeyParameter(KEY));
    byte[] out = new byte[16];
    engine.processBlock(KEY, 0, out, 0);
    assertArrayEquals(hex("681edf34d206965e86b3e94f536e4246"), out);
  }

  @Test
  void bothOpenWhatWasSealedAtEveryLength() throws Exception {
    for (int algorithm : new int[] {Seal.AES, Seal.SM4}) {
      Seal seal = new Seal(KEY, algorithm);
      Algorithm opener = algorithm == Seal.AES ? new Aes(KEY) : new Sm4(KEY);
      for (int length = 0; length < 100; length++) {
        byte[] text = new byte[length];
        Arrays.fill(text, (byte) length);
        assertArrayEquals(text, opener.open(seal.seal(253, 0, 0, 45, text)));
      }
    }
  }

  @Test
  void aChangedBitOfAnyByteIsNoticed() throws Exception {
    for (int algorithm : new int[] {Seal.AES, Seal.SM4}) {
      byte[] envelope = new Seal(KEY, algorithm).seal(3, 0, 0x80, 63, "4711".getBytes());
      Algorithm opener = algorithm == Seal.AES ? new Aes(KEY) : new Sm4(KEY);
      for (int i = 0; i < envelope.length; i++) {
        byte[] changed = envelope.clone();
        changed[i] ^= 1;
        assertThrows(AEADBadTagException.class, () -> opener.open(changed));
      }
      assertEquals("4711", new String(opener.open(envelope)));
    }
  }
}
