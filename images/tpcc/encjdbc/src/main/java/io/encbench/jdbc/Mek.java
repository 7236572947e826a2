package io.encbench.jdbc;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * The master key, which comes from a file and appears in no message.
 *
 * @param file where it was read, for messages
 */
record Mek(Path file, byte[] bytes) {
  static final int BYTES = 16;

  /** More than a key with its line end, so that a wrong file is not read whole. */
  private static final int MOST = 1024;

  /** Reads 32 hexadecimal digits, after which a line end may follow. */
  static Mek read(Path file) throws SQLException {
    byte[] found;
    try (var stream = Files.newInputStream(file)) {
      found = stream.readNBytes(MOST);
    } catch (NoSuchFileException error) {
      throw refused(file, "is not there");
    } catch (IOException error) {
      throw refused(file, "cannot be read (" + error.getClass().getSimpleName() + ")");
    }
    String text = new String(found, StandardCharsets.ISO_8859_1);
    Arrays.fill(found, (byte) 0);
    if (text.endsWith("\n")) {
      text = text.substring(0, text.length() - (text.endsWith("\r\n") ? 2 : 1));
    }
    if (text.length() != 2 * BYTES) {
      throw refused(
          file, "has " + (text.length() < MOST - 2 ? text.length() : "too many") + " characters");
    }
    try {
      return new Mek(file, HexFormat.of().parseHex(text));
    } catch (IllegalArgumentException error) {
      throw refused(file, "has characters that are no hexadecimal digits");
    }
  }

  /** Says where the key is from and not what it is. */
  @Override
  public String toString() {
    return "the MEK in " + file;
  }

  private static SQLException refused(Path file, String why) {
    return new SQLNonTransientConnectionException(
        "the MEK file " + file + " " + why + ": write a file of 32 hexadecimal digits, 16 bytes",
        "28000");
  }
}
