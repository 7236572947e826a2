package io.encbench.jdbc;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
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

  private static final byte[] KEY_ID = "randomrandom".getBytes(StandardCharsets.US_ASCII);
  private static final Binding BAL = new Binding("secret", "bal");

  /**
   * "-10.05" as DECIMAL(12,2) of the column secret.bal, made by Python's cryptography (OpenSSL) and
   * hmac with {@link #KEY}; the proxy's tests and the agent's have the same.
   */
  private static final String AES_ENVELOPE =
      """
      00454e43 02 01 f6 02 8021 003f 72616e646f6d72616e646f6d 0000000000000001
      2af4b740bada3bf4229f5a8370e15a006eeb99228ab3""";

  private static final String SM4_ENVELOPE =
      """
      00454e43 02 02 f6 02 8021 003f 72616e646f6d72616e646f6d 0000000000000001
      058cd6ddaa13793e41fa13a8b39c56f3f0fd29df5b80""";

  private static byte[] hex(String text) {
    return HexFormat.of().parseHex(text.replaceAll("\\s", ""));
  }

  @Test
  void anAesEnvelopeOfAnotherProgramOpens() throws Exception {
    Algorithm aes = new Aes(ConnectionKey.derive(KEY, "AES_128_GCM", KEY_ID));
    assertEquals("-10.05", new String(aes.open(hex(AES_ENVELOPE), BAL)));
  }

  @Test
  void anSm4EnvelopeOfAnotherProgramOpens() throws Exception {
    Algorithm sm4 = new Sm4(ConnectionKey.derive(KEY, "SM4_128_GCM", KEY_ID));
    assertEquals("-10.05", new String(sm4.open(hex(SM4_ENVELOPE), BAL)));
  }

  /** RFC 8998, appendix A.1, whose nonce and additional data are none of an envelope's. */
  @Test
  void theOtherSm4InGcmModeIsThatOfRfc8998() throws Exception {
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

  /** GB/T 32907-2016, appendix A.1: one block by itself, wherever it stands. */
  @Test
  void sm4IsThatOfTheStandard() throws Exception {
    byte[] expected = hex("681edf34d206965e86b3e94f536e4246");
    for (int count = 1; count <= 15; count++) {
      // What is behind them is something else.
      byte[] blocks = new byte[18 * KEY.length];
      for (int at = 0; at < count * KEY.length; at += KEY.length) {
        System.arraycopy(KEY, 0, blocks, at, KEY.length);
      }
      new Sm4(KEY).encrypt(blocks, blocks, count);
      for (int at = 0; at < count * KEY.length; at += KEY.length) {
        assertArrayEquals(expected, Arrays.copyOfRange(blocks, at, at + KEY.length), "of " + count);
      }
    }
  }

  /** What {@link Seal} makes is of the JDK's AES and of BouncyCastle's SM4. */
  @Test
  void bothOpenWhatWasSealedAtEveryLength() throws Exception {
    Random random = new Random(7);
    for (int algorithm : new int[] {Seal.AES, Seal.SM4}) {
      for (int length = 0; length < 2500; length += length < 850 ? 1 : 97) {
        byte[] key = new byte[Mek.BYTES];
        random.nextBytes(key);
        byte[] text = new byte[length];
        random.nextBytes(text);
        Seal seal = new Seal(key, algorithm);
        byte[] envelope = seal.seal(253, 0, 0, 45, text, BAL);
        assertArrayEquals(text, seal.opener().open(envelope, BAL), "length " + length);
      }
    }
  }

  /** As a program reads them: a row's values in turn, some again and some not at all. */
  @Test
  void manyValuesOfOneConnectionOpenInAnyOrder() throws Exception {
    Random random = new Random(13);
    for (int algorithm : new int[] {Seal.AES, Seal.SM4}) {
      Seal seal = new Seal(KEY, algorithm).from(0xFFFFFF00L);
      byte[][] texts = new byte[1000][];
      byte[][] envelopes = new byte[texts.length][];
      for (int i = 0; i < texts.length; i++) {
        texts[i] = new byte[random.nextInt(i % 50 == 0 ? 3000 : 40)];
        random.nextBytes(texts[i]);
        envelopes[i] = seal.seal(253, 0, 0, 45, texts[i], BAL);
      }
      Algorithm opener = seal.opener();
      for (int i = 0; i < texts.length; i++) {
        if (random.nextInt(10) > 0) {
          int read = random.nextInt(10) > 0 ? i : random.nextInt(texts.length);
          assertArrayEquals(texts[read], opener.open(envelopes[read], BAL), "value " + read);
        }
      }
    }
  }

  @Test
  void aChangedValueSpoilsNoneThatFollows() throws Exception {
    for (int algorithm : new int[] {Seal.AES, Seal.SM4}) {
      Seal seal = new Seal(KEY, algorithm);
      Algorithm opener = seal.opener();
      for (int i = 0; i < 50; i++) {
        byte[] envelope = seal.seal(3, 0, 0x80, 63, ("" + i).getBytes(), BAL);
        byte[] changed = envelope.clone();
        changed[Envelope.CONTENT_AT] ^= 1;
        assertThrows(AEADBadTagException.class, () -> opener.open(changed, BAL));
        assertEquals("" + i, new String(opener.open(envelope, BAL)));
      }
    }
  }

  @Test
  void valuesOfSeveralColumnsAndTypesAlternate() throws Exception {
    Binding[] bindings = {BAL, new Binding("secret", "name"), new Binding(), new Binding("t", "x")};
    for (int algorithm : new int[] {Seal.AES, Seal.SM4}) {
      Seal[] seals = {new Seal(KEY, algorithm), new Seal(KEY, algorithm, "another seal")};
      Algorithm[] openers = {seals[0].opener(), seals[1].opener()};
      for (int i = 0; i < 200; i++) {
        byte[] text = ("value " + i).getBytes(StandardCharsets.US_ASCII);
        Binding binding = bindings[i % 4];
        byte[] envelope = seals[i % 3 % 2].seal(i % 5, 0, 0, 45, text, binding);
        assertArrayEquals(text, openers[i % 3 % 2].open(envelope, binding));
        assertThrows(
            AEADBadTagException.class, () -> openers[0].open(envelope, new Binding("t", "y")));
      }
    }
  }

  @Test
  void aCounterBeyondThirtyTwoBitsIsTheNonces() throws Exception {
    for (int algorithm : new int[] {Seal.AES, Seal.SM4}) {
      Seal seal = new Seal(KEY, algorithm).from(0x89ABCDEF01234567L);
      assertArrayEquals(
          KEY, seal.opener().open(seal.seal(253, 0, 0, 45, KEY, BAL), BAL), "" + algorithm);
    }
  }

  @Test
  void aChangedBitOfAnyByteIsNoticed() throws Exception {
    for (int algorithm : new int[] {Seal.AES, Seal.SM4}) {
      Seal seal = new Seal(KEY, algorithm);
      byte[] envelope = seal.seal(3, 0, 0x80, 63, "4711".getBytes(), BAL);
      Algorithm opener = seal.opener();
      for (int i = 0; i < envelope.length; i++) {
        byte[] changed = envelope.clone();
        changed[i] ^= 1;
        assertThrows(AEADBadTagException.class, () -> opener.open(changed, BAL));
      }
      for (Binding other :
          new Binding[] {
            new Binding(), new Binding("secret", "name"), new Binding("plain", "bal")
          }) {
        assertThrows(AEADBadTagException.class, () -> opener.open(envelope, other));
      }
      assertEquals("4711", new String(opener.open(envelope, BAL)));
    }
  }

  @Test
  void whatOtherSessionsReadOtherwiseIsBoundToNoColumn() {
    assertArrayEquals("t\0c".getBytes(StandardCharsets.US_ASCII), new Binding("t", "c").name());
    for (String[] names :
        new String[][] {{"", ""}, {"t", ""}, {"", "c"}, {"größe", "c"}, {"t", null}}) {
      assertArrayEquals(new byte[] {0}, new Binding(names[0], names[1]).name());
    }
  }
}
