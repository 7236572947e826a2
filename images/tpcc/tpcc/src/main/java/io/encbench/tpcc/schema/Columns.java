package io.encbench.tpcc.schema;

import io.encbench.tpcc.database.Dialect;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/** The columns of a table in their order, from the very statement that makes it. */
public final class Columns {
  private static final Pattern COLUMN = Pattern.compile("(?m)^  (\\w+) +([a-z]+)\\b.*$");

  /** How a column is read. */
  public enum Kind {
    INTEGER,
    DECIMAL,
    TIMESTAMP,
    TEXT
  }

  /** One column. */
  public record Column(String name, Kind kind) {}

  private Columns() {}

  /** Those of a table of the schema. */
  public static List<Column> of(Dialect dialect, String table) {
    String statement =
        Script.TABLES.statements(dialect).stream()
            .filter(sql -> sql.startsWith("create table " + table + " "))
            .findFirst()
            .orElseThrow(() -> new IllegalArgumentException("no table " + table));
    return COLUMN
        .matcher(statement)
        .results()
        .filter(found -> !found.group(1).equals("primary"))
        .map(found -> new Column(found.group(1), kind(found.group(2))))
        .toList();
  }

  private static Kind kind(String type) {
    return switch (type.toLowerCase(Locale.ROOT)) {
      case "integer" -> Kind.INTEGER;
      case "decimal" -> Kind.DECIMAL;
      case "timestamp" -> Kind.TIMESTAMP;
      case "char", "varchar" -> Kind.TEXT;
      default -> throw new IllegalArgumentException("no kind for the type " + type);
    };
  }
}
