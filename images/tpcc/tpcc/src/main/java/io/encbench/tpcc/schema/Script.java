package io.encbench.tpcc.schema;

import io.encbench.tpcc.database.Dialect;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** The statements of one of the schema's files. */
public enum Script {
  DROP("drop"),
  TABLES("tables"),
  KEYS("keys"),
  FOREIGN_KEYS("foreign-keys"),
  FINISH("finish");

  private final String name;

  Script(String name) {
    this.name = name;
  }

  /** The statements in order. */
  public List<String> statements(Dialect dialect) {
    String file = dialect.schema() + "/" + name + ".sql";
    try (InputStream stream = Script.class.getResourceAsStream(file)) {
      return split(new String(stream.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException error) {
      throw new UncheckedIOException(file, error);
    }
  }

  /** What semicolons at the ends of lines separate, without the lines that are comments. */
  static List<String> split(String text) {
    List<String> statements = new ArrayList<>();
    StringBuilder statement = new StringBuilder();
    for (String line : text.lines().toList()) {
      if (line.isBlank() || line.startsWith("--")) {
        continue;
      }
      boolean last = line.endsWith(";");
      statement.append(last ? line.substring(0, line.length() - 1) : line + "\n");
      if (last) {
        statements.add(statement.toString());
        statement.setLength(0);
      }
    }
    if (!statement.isEmpty()) {
      throw new IllegalArgumentException("a statement does not end: " + statement);
    }
    return statements;
  }
}
