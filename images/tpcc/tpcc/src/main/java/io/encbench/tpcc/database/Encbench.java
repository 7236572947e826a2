package io.encbench.tpcc.database;

import io.encbench.tpcc.settings.InvalidInput;
import java.nio.file.Files;
import java.nio.file.Path;

/** What the client knows of our encrypting driver: its URLs and the name of its key's file. */
final class Encbench {
  static final String MEK_FILE = "encbench.mekFile";
  private static final String PREFIX = "jdbc:encbench:";

  private Encbench() {}

  /** The URL of the driver that does the work. */
  static String inner(String url) {
    return url.startsWith(PREFIX) ? url.substring(PREFIX.length()) : url;
  }

  /** The file's path for the driver, which reads it and judges what is in it. */
  static String mekFile(Path file, Url url) throws InvalidInput {
    if (!url.text().startsWith(PREFIX)) {
      throw new InvalidInput(
          "mekFile is for the driver io.encbench.jdbc.EncbenchDriver alone: write a URL that begins"
              + " with "
              + PREFIX
              + ", or leave it out");
    }
    if (!Files.isReadable(file)) {
      throw new InvalidInput(
          "the mekFile "
              + file
              + " cannot be read: write the path of a file of 32 hexadecimal digits");
    }
    return file.toString();
  }
}
