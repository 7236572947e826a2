package io.encbench.tpcc.database;

import io.encbench.tpcc.settings.InvalidInput;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** A secret, which comes from a file and goes nowhere but to the driver. */
final class SecretFile {
  private SecretFile() {}

  /**
   * The file's text without the newline at its end.
   *
   * @param property the property or the variable that names the file
   */
  static String read(String property, Path file) throws InvalidInput {
    try {
      String text = Files.readString(file, StandardCharsets.UTF_8);
      return text.endsWith("\n") ? text.substring(0, text.length() - 1) : text;
    } catch (IOException error) {
      throw new InvalidInput(
          "the "
              + property
              + " "
              + file
              + " cannot be read ("
              + error.getClass().getSimpleName()
              + "): write the path of a file that holds the "
              + held(property));
    }
  }

  private static String held(String property) {
    return switch (property) {
      case "connFile" -> "URL";
      case Secrets.KEY_FILE -> "key";
      default -> "password";
    };
  }
}
