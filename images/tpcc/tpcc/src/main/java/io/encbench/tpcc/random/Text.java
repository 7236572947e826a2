package io.encbench.tpcc.random;

import java.nio.charset.StandardCharsets;

/** Random strings of clause 4.3.2.2: of letters and digits, or of digits only. */
public final class Text {
  private static final byte[] CHARACTERS =
      "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_"
          .getBytes(StandardCharsets.US_ASCII);
  private static final byte[] ORIGINAL = "ORIGINAL".getBytes(StandardCharsets.US_ASCII);
  private static final int BITS = 6;
  private static final int PER_DRAW = 10;

  private final Chance chance;

  public Text(Chance chance) {
    this.chance = chance;
  }

  /** A string whose length is drawn from {@code least} to {@code most}. */
  public String any(int least, int most) {
    return string(characters(length(least, most)));
  }

  /** So many digits. */
  public String digits(int count) {
    byte[] bytes = new byte[count];
    for (int i = 0; i < count; i++) {
      bytes[i] = (byte) ('0' + chance.between(0, 9));
    }
    return string(bytes);
  }

  /** So many capital letters, as in the codes of states. */
  public String letters(int count) {
    byte[] bytes = new byte[count];
    for (int i = 0; i < count; i++) {
      bytes[i] = (byte) ('A' + chance.between(0, 25));
    }
    return string(bytes);
  }

  /** The zip code of clause 4.3.2.7. */
  public String zip() {
    return digits(4) + "11111";
  }

  /** I_DATA and S_DATA: in a tenth of the rows "ORIGINAL" is somewhere within. */
  public String data() {
    byte[] bytes = characters(length(26, 50));
    if (chance.percent(10)) {
      int at = chance.between(0, bytes.length - ORIGINAL.length);
      System.arraycopy(ORIGINAL, 0, bytes, at, ORIGINAL.length);
    }
    return string(bytes);
  }

  private int length(int least, int most) {
    return least == most ? least : chance.between(least, most);
  }

  /** Ten characters are cut from each draw of 64 bits: most of a load's time goes here. */
  private byte[] characters(int count) {
    byte[] bytes = new byte[count];
    for (int i = 0; i < count; ) {
      long bits = chance.bits();
      for (int k = 0; k < PER_DRAW && i < count; k++, i++) {
        bytes[i] = CHARACTERS[(int) bits & (CHARACTERS.length - 1)];
        bits >>>= BITS;
      }
    }
    return bytes;
  }

  private static String string(byte[] bytes) {
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }
}
