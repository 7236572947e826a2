package io.encbench.tpcc.database;

import io.encbench.tpcc.settings.InvalidInput;

/** What differs between the databases, apart from the schema's own files. */
public enum Dialect {
  POSTGRES("postgres", "postgres"),
  MYSQL("mysql", "mysql"),
  MARIADB("mariadb", "mysql");

  private final String text;
  private final String schema;

  Dialect(String text, String schema) {
    this.text = text;
    this.schema = schema;
  }

  /** The dialect that the property {@code db} names. */
  public static Dialect of(String text) throws InvalidInput {
    for (Dialect dialect : values()) {
      if (dialect.text.equals(text)) {
        return dialect;
      }
    }
    throw new InvalidInput("db is '" + text + "': write postgres, mysql or mariadb");
  }

  /** The value of the property {@code db}. */
  public String text() {
    return text;
  }

  /** The folder of the schema's files; MySQL and MariaDB share one. */
  public String schema() {
    return schema;
  }

  /**
   * What makes a SELECT lock its rows against others that change them.
   *
   * <p>PostgreSQL's weaker lock leaves those alone who only check a foreign key against the row.
   */
  public String forUpdate() {
    return this == POSTGRES ? " FOR NO KEY UPDATE" : " FOR UPDATE";
  }

  /**
   * What has a SELECT read what others have committed meanwhile.
   *
   * <p>InnoDB's plain one reads what there was at the transaction's first, and PostgreSQL's what
   * there was at its own beginning.
   */
  public String current() {
    return isMySqlFamily() ? " FOR UPDATE" : "";
  }

  /** Whether this is MySQL or MariaDB. */
  public boolean isMySqlFamily() {
    return this != POSTGRES;
  }
}
