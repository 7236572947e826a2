package io.encbench.tpcc.database;

import io.encbench.tpcc.settings.InvalidInput;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** The password, which comes from a file and goes nowhere but to the driver. */
final class Password {
  private Password() {}

  /** The file's text without the newline at its end. */
  static String read(Path file) throws InvalidInput {
    try {
      String text = Files.readString(file, StandardCharsets.UTF_8);
      return text.endsWith("\n") ? text.substring(0, text.length() - 1) : text;
    } catch (IOException error) {
      throw new InvalidInput(
          "the passwordFile "
              + file
              + " cannot be read ("
              + error.getClass().getSimpleName()
              + "): write the path of a file that holds the password");
    }
  }
}
