package io.encbench.tpcc.settings;

import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;

/**
 * A file of properties as BenchmarkSQL writes them.
 *
 * <p>Its samples comment with {@code //}, which Java takes for a property of that name; such lines
 * are left out. A password is never kept, not even to be refused later.
 */
public final class PropertiesFile {
  private PropertiesFile() {}

  /** The file's properties with the overrides in place of what it says. */
  public static Map<String, String> read(Path file, Map<String, String> overrides)
      throws InvalidInput {
    Properties properties = new Properties();
    try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
      properties.load(reader);
    } catch (IOException | IllegalArgumentException error) {
      throw new InvalidInput("the properties " + file + " cannot be read: " + reason(error));
    }
    Map<String, String> values = new TreeMap<>();
    for (String name : properties.stringPropertyNames()) {
      if (!name.startsWith("//")) {
        values.put(name, properties.getProperty(name));
      }
    }
    values.putAll(overrides);
    return values;
  }

  private static String reason(Exception error) {
    return error instanceof NoSuchFileException
        ? "there is no such file"
        : String.valueOf(error.getMessage());
  }
}
