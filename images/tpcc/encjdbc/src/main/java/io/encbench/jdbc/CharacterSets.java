package io.encbench.jdbc;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;

/**
 * Java's character set for a collation id.
 *
 * <p>A collation names its character set; those of MariaDB that do not pad have the ids of the
 * others plus 1,024, and its newest ones (uca1400) are blocks of 256 for each character set from
 * 2,048 on.
 */
final class CharacterSets {
  static final int BINARY = 63;

  /** What MySQL calls latin1 is not ISO 8859-1. */
  private static final Charset LATIN1 = Charset.forName("windows-1252");

  private static final int NO_PAD = 1024;
  private static final int UCA1400 = 2048;

  private CharacterSets() {}

  /** The character set, or null if this driver does not know it. */
  static Charset of(int collation) {
    if (collation >= UCA1400) {
      // utf8mb3, then utf8mb4, then those that are not ours.
      return collation < UCA1400 + 512 ? StandardCharsets.UTF_8 : null;
    }
    int id = collation >= NO_PAD ? collation - NO_PAD : collation;
    return switch (id) {
      case 5, 8, 15, 31, 47, 48, 49, 94 -> LATIN1;
      case 11, 65 -> StandardCharsets.US_ASCII;
      case BINARY -> StandardCharsets.ISO_8859_1;
      case 33, 45, 46, 76, 83, 223 -> StandardCharsets.UTF_8;
      default ->
          id >= 192 && id <= 215 || id >= 224 && id <= 247 || id >= 255 && id <= 323
              ? StandardCharsets.UTF_8
              : null;
    };
  }
}
