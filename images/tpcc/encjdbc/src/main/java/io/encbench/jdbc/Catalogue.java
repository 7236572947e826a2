package io.encbench.jdbc;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * What Connector/J says of tables and procedures, asked through our own connection.
 *
 * <p>Connector/J reads the answers to its questions itself, so behind a strict proxy it finds
 * ciphertext in them. These questions are about the same things, and their rows have the columns
 * that JDBC names. Databases are catalogues, as Connector/J has them; there are no schemas.
 */
final class Catalogue {
  private static final String IS_TRUTH =
      "(c.DATA_TYPE = 'tinyint' AND c.COLUMN_TYPE LIKE 'tinyint(1)%'"
          + " AND c.COLUMN_TYPE NOT LIKE '%unsigned%')";

  /** A type's number in JDBC; {@code c} has a column or a parameter. */
  private static final String NUMBER =
      """
      CASE WHEN %s THEN -7 ELSE CASE c.DATA_TYPE
        WHEN 'bit' THEN -7 WHEN 'tinyint' THEN -6 WHEN 'smallint' THEN 5 WHEN 'mediumint' THEN 4
        WHEN 'int' THEN 4 WHEN 'bigint' THEN -5 WHEN 'float' THEN 7 WHEN 'double' THEN 8
        WHEN 'decimal' THEN 3 WHEN 'date' THEN 91 WHEN 'year' THEN 91 WHEN 'time' THEN 92
        WHEN 'datetime' THEN 93 WHEN 'timestamp' THEN 93 WHEN 'char' THEN 1 WHEN 'enum' THEN 1
        WHEN 'set' THEN 1 WHEN 'varchar' THEN 12 WHEN 'tinytext' THEN 12 WHEN 'text' THEN -1
        WHEN 'mediumtext' THEN -1 WHEN 'longtext' THEN -1 WHEN 'json' THEN -1
        WHEN 'binary' THEN -2 WHEN 'varbinary' THEN -3 WHEN 'tinyblob' THEN -3 WHEN 'blob' THEN -4
        WHEN 'mediumblob' THEN -4 WHEN 'longblob' THEN -4 WHEN 'geometry' THEN -2
        ELSE 1111 END END""";

  private static final String NAME =
      """
      CASE WHEN %s THEN 'BIT' ELSE CONCAT(UPPER(c.DATA_TYPE),
        IF(c.COLUMN_TYPE LIKE '%%unsigned%%', ' UNSIGNED', '')) END""";

  private static final String SIZE =
      """
      CASE WHEN %s THEN 1 ELSE CASE c.DATA_TYPE
        WHEN 'date' THEN 10 WHEN 'year' THEN 4
        WHEN 'time' THEN 8 + IF(c.DATETIME_PRECISION > 0, c.DATETIME_PRECISION + 1, 0)
        WHEN 'datetime' THEN 19 + IF(c.DATETIME_PRECISION > 0, c.DATETIME_PRECISION + 1, 0)
        WHEN 'timestamp' THEN 19 + IF(c.DATETIME_PRECISION > 0, c.DATETIME_PRECISION + 1, 0)
        ELSE LEAST(COALESCE(c.CHARACTER_MAXIMUM_LENGTH, c.NUMERIC_PRECISION, 0), 2147483647)
        END END""";

  private final Session session;

  Catalogue(Session session) {
    this.session = session;
  }

  ResultSet catalogs() throws SQLException {
    return new Question(
            "SELECT SCHEMA_NAME AS TABLE_CAT FROM INFORMATION_SCHEMA.SCHEMATA ORDER BY 1")
        .ask();
  }

  ResultSet tables(String catalog, String name, String[] types) throws SQLException {
    Question question =
        new Question(
            """
            SELECT * FROM (SELECT t.TABLE_SCHEMA AS TABLE_CAT, NULL AS TABLE_SCHEM,
              t.TABLE_NAME AS TABLE_NAME,
              CASE t.TABLE_TYPE WHEN 'BASE TABLE' THEN IF(
                  t.TABLE_SCHEMA IN ('mysql', 'performance_schema'), 'SYSTEM TABLE', 'TABLE')
                WHEN 'TEMPORARY' THEN 'LOCAL TEMPORARY' ELSE t.TABLE_TYPE END AS TABLE_TYPE,
              t.TABLE_COMMENT AS REMARKS, NULL AS TYPE_CAT, NULL AS TYPE_SCHEM, NULL AS TYPE_NAME,
              NULL AS SELF_REFERENCING_COL_NAME, NULL AS REF_GENERATION
            FROM INFORMATION_SCHEMA.TABLES t WHERE TRUE""");
    question.database("t.TABLE_SCHEMA", catalog).like("t.TABLE_NAME", name).add(") found");
    if (types != null) {
      question.in("TABLE_TYPE", types);
    }
    return question.add(" ORDER BY TABLE_TYPE, TABLE_CAT, TABLE_NAME").ask();
  }

  ResultSet columns(String catalog, String table, String column) throws SQLException {
    Question question =
        new Question(
            """
            SELECT c.TABLE_SCHEMA AS TABLE_CAT, NULL AS TABLE_SCHEM, c.TABLE_NAME AS TABLE_NAME,
              c.COLUMN_NAME AS COLUMN_NAME, %s AS DATA_TYPE, %s AS TYPE_NAME, %s AS COLUMN_SIZE,
              65535 AS BUFFER_LENGTH, c.NUMERIC_SCALE AS DECIMAL_DIGITS, 10 AS NUM_PREC_RADIX,
              IF(c.IS_NULLABLE = 'YES', 1, 0) AS NULLABLE, c.COLUMN_COMMENT AS REMARKS,
              c.COLUMN_DEFAULT AS COLUMN_DEF, 0 AS SQL_DATA_TYPE, 0 AS SQL_DATETIME_SUB,
              LEAST(c.CHARACTER_OCTET_LENGTH, 2147483647) AS CHAR_OCTET_LENGTH,
              c.ORDINAL_POSITION AS ORDINAL_POSITION, c.IS_NULLABLE AS IS_NULLABLE,
              NULL AS SCOPE_CATALOG, NULL AS SCOPE_SCHEMA, NULL AS SCOPE_TABLE,
              NULL AS SOURCE_DATA_TYPE,
              IF(c.EXTRA LIKE '%%auto_increment%%', 'YES', 'NO') AS IS_AUTOINCREMENT,
              IF(c.EXTRA LIKE '%%GENERATED%%', 'YES', 'NO') AS IS_GENERATEDCOLUMN
            FROM INFORMATION_SCHEMA.COLUMNS c WHERE TRUE"""
                .formatted(typed(NUMBER), typed(NAME), typed(SIZE)));
    question.database("c.TABLE_SCHEMA", catalog).like("c.TABLE_NAME", table);
    question.like("c.COLUMN_NAME", column);
    return question.add(" ORDER BY TABLE_CAT, TABLE_NAME, ORDINAL_POSITION").ask();
  }

  ResultSet primaryKeys(String catalog, String table) throws SQLException {
    Question question =
        new Question(
            """
            SELECT s.TABLE_SCHEMA AS TABLE_CAT, NULL AS TABLE_SCHEM, s.TABLE_NAME AS TABLE_NAME,
              s.COLUMN_NAME AS COLUMN_NAME, s.SEQ_IN_INDEX AS KEY_SEQ, 'PRIMARY' AS PK_NAME
            FROM INFORMATION_SCHEMA.STATISTICS s WHERE s.INDEX_NAME = 'PRIMARY'""");
    question.database("s.TABLE_SCHEMA", catalog).equal("s.TABLE_NAME", table);
    return question.add(" ORDER BY TABLE_CAT, TABLE_NAME, COLUMN_NAME").ask();
  }

  ResultSet indexes(String catalog, String table, boolean unique) throws SQLException {
    Question question =
        new Question(
            """
            SELECT s.TABLE_SCHEMA AS TABLE_CAT, NULL AS TABLE_SCHEM, s.TABLE_NAME AS TABLE_NAME,
              s.NON_UNIQUE AS NON_UNIQUE, NULL AS INDEX_QUALIFIER, s.INDEX_NAME AS INDEX_NAME,
              3 AS TYPE, s.SEQ_IN_INDEX AS ORDINAL_POSITION, s.COLUMN_NAME AS COLUMN_NAME,
              s.COLLATION AS ASC_OR_DESC, s.CARDINALITY AS CARDINALITY, 0 AS PAGES,
              NULL AS FILTER_CONDITION
            FROM INFORMATION_SCHEMA.STATISTICS s WHERE TRUE""");
    question.database("s.TABLE_SCHEMA", catalog).equal("s.TABLE_NAME", table);
    question.add(unique ? " AND s.NON_UNIQUE = 0" : "");
    return question.add(" ORDER BY NON_UNIQUE, INDEX_NAME, ORDINAL_POSITION").ask();
  }

  ResultSet importedKeys(String catalog, String table) throws SQLException {
    return ordered(keys().foreign(catalog, table));
  }

  ResultSet exportedKeys(String catalog, String table) throws SQLException {
    return ordered(keys().primary(catalog, table));
  }

  ResultSet keysBetween(
      String primaryCatalog, String primaryTable, String foreignCatalog, String foreignTable)
      throws SQLException {
    return ordered(
        keys().primary(primaryCatalog, primaryTable).foreign(foreignCatalog, foreignTable));
  }

  private static ResultSet ordered(Question keys) throws SQLException {
    return keys.add(" ORDER BY PKTABLE_CAT, PKTABLE_NAME, FKTABLE_NAME, KEY_SEQ").ask();
  }

  private Question keys() {
    return new Question(
        """
            SELECT k.REFERENCED_TABLE_SCHEMA AS PKTABLE_CAT, NULL AS PKTABLE_SCHEM,
              k.REFERENCED_TABLE_NAME AS PKTABLE_NAME, k.REFERENCED_COLUMN_NAME AS PKCOLUMN_NAME,
              k.TABLE_SCHEMA AS FKTABLE_CAT, NULL AS FKTABLE_SCHEM, k.TABLE_NAME AS FKTABLE_NAME,
              k.COLUMN_NAME AS FKCOLUMN_NAME, k.ORDINAL_POSITION AS KEY_SEQ,
              %s AS UPDATE_RULE, %s AS DELETE_RULE, k.CONSTRAINT_NAME AS FK_NAME,
              r.UNIQUE_CONSTRAINT_NAME AS PK_NAME, 7 AS DEFERRABILITY
            FROM INFORMATION_SCHEMA.KEY_COLUMN_USAGE k
            JOIN INFORMATION_SCHEMA.REFERENTIAL_CONSTRAINTS r
              ON r.CONSTRAINT_SCHEMA = k.CONSTRAINT_SCHEMA
              AND r.CONSTRAINT_NAME = k.CONSTRAINT_NAME AND r.TABLE_NAME = k.TABLE_NAME
            WHERE TRUE"""
            .formatted(rule("r.UPDATE_RULE"), rule("r.DELETE_RULE")));
  }

  /** Connector/J calls NO ACTION what it is for MySQL: RESTRICT. */
  private static String rule(String column) {
    return "CASE "
        + column
        + " WHEN 'CASCADE' THEN 0 WHEN 'SET NULL' THEN 2 WHEN 'SET DEFAULT' THEN 4"
        + " WHEN 'RESTRICT' THEN 1 WHEN 'NO ACTION' THEN 1 ELSE 3 END";
  }

  /** Procedures and functions, as Connector/J lists both. */
  ResultSet procedures(String catalog, String name) throws SQLException {
    Question question =
        new Question(
            """
            SELECT r.ROUTINE_SCHEMA AS PROCEDURE_CAT, NULL AS PROCEDURE_SCHEM,
              r.ROUTINE_NAME AS PROCEDURE_NAME, NULL AS RESERVED_1, NULL AS RESERVED_2,
              NULL AS RESERVED_3, r.ROUTINE_COMMENT AS REMARKS,
              IF(r.ROUTINE_TYPE = 'FUNCTION', 2, 1) AS PROCEDURE_TYPE,
              r.ROUTINE_NAME AS SPECIFIC_NAME
            FROM INFORMATION_SCHEMA.ROUTINES r WHERE TRUE""");
    question.database("r.ROUTINE_SCHEMA", catalog).like("r.ROUTINE_NAME", name);
    return question.add(" ORDER BY PROCEDURE_CAT, PROCEDURE_NAME, PROCEDURE_TYPE").ask();
  }

  ResultSet procedureColumns(String catalog, String name, String parameter) throws SQLException {
    Question question =
        new Question(
            """
            SELECT c.SPECIFIC_SCHEMA AS PROCEDURE_CAT, NULL AS PROCEDURE_SCHEM,
              c.SPECIFIC_NAME AS PROCEDURE_NAME, COALESCE(c.PARAMETER_NAME, '') AS COLUMN_NAME,
              CASE WHEN c.ORDINAL_POSITION = 0 THEN 5 WHEN c.PARAMETER_MODE = 'IN' THEN 1
                WHEN c.PARAMETER_MODE = 'INOUT' THEN 2 WHEN c.PARAMETER_MODE = 'OUT' THEN 4
                ELSE 0 END AS COLUMN_TYPE,
              %s AS DATA_TYPE, %s AS TYPE_NAME, %s AS `PRECISION`, %s AS LENGTH,
              c.NUMERIC_SCALE AS SCALE, 10 AS RADIX, 1 AS NULLABLE, NULL AS REMARKS,
              NULL AS COLUMN_DEF, NULL AS SQL_DATA_TYPE, NULL AS SQL_DATETIME_SUB,
              LEAST(c.CHARACTER_OCTET_LENGTH, 2147483647) AS CHAR_OCTET_LENGTH,
              c.ORDINAL_POSITION AS ORDINAL_POSITION, 'YES' AS IS_NULLABLE,
              c.SPECIFIC_NAME AS SPECIFIC_NAME
            FROM (SELECT p.*, p.DTD_IDENTIFIER AS COLUMN_TYPE FROM INFORMATION_SCHEMA.PARAMETERS p) c
            WHERE TRUE"""
                .formatted(typed(NUMBER), typed(NAME), typed(SIZE), typed(SIZE)));
    question.database("c.SPECIFIC_SCHEMA", catalog).like("c.SPECIFIC_NAME", name);
    question.like("c.PARAMETER_NAME", parameter);
    return question.add(" ORDER BY PROCEDURE_CAT, PROCEDURE_NAME, ORDINAL_POSITION").ask();
  }

  /** One of the texts about types, for what this session takes {@code TINYINT(1)}. */
  private String typed(String text) {
    return text.formatted(session.truths ? IS_TRUTH : "FALSE");
  }

  String user() throws SQLException {
    return new Question("SELECT USER()").texts();
  }

  /** All that the server has, SQL's own included. */
  String keywords() throws SQLException {
    return new Question("SELECT WORD FROM INFORMATION_SCHEMA.KEYWORDS ORDER BY 1").texts();
  }

  /** One SELECT, with what has to hold, and the values for that. */
  private final class Question {
    private final StringBuilder text;
    private final List<String> values = new ArrayList<>();

    Question(String text) {
      this.text = new StringBuilder(text);
    }

    Question add(String more) {
      text.append(more);
      return this;
    }

    /** Null is any database, or the connection's where the program wants that. */
    Question database(String column, String catalog) throws SQLException {
      boolean isCurrent = catalog == null && session.nullMeansCurrent;
      return equal(column, isCurrent ? session.connection.getCatalog() : catalog);
    }

    /** Of foreign keys: those in this table. */
    Question foreign(String catalog, String table) throws SQLException {
      return database("k.TABLE_SCHEMA", catalog).equal("k.TABLE_NAME", table);
    }

    /** Of foreign keys: those that refer to this table. */
    Question primary(String catalog, String table) throws SQLException {
      return database("k.REFERENCED_TABLE_SCHEMA", catalog).equal("k.REFERENCED_TABLE_NAME", table);
    }

    /** Nothing has to hold where the value is null. */
    Question equal(String column, String value) {
      return compare(column, "=", value);
    }

    Question like(String column, String pattern) {
      return compare(column, "LIKE", "%".equals(pattern) ? null : pattern);
    }

    private Question compare(String column, String how, String value) {
      if (value != null) {
        text.append(" AND ").append(column).append(' ').append(how).append(" ?");
        values.add(value);
      }
      return this;
    }

    Question in(String column, String[] wanted) {
      String places = String.join(", ", Collections.nCopies(wanted.length, "?"));
      text.append(" WHERE ").append(column).append(" IN (");
      text.append(wanted.length == 0 ? "NULL" : places).append(')');
      values.addAll(Arrays.asList(wanted));
      return this;
    }

    /** The rows; with them the statement is closed. */
    ResultSet ask() throws SQLException {
      PreparedStatement statement = session.connection.prepareStatement(text.toString());
      for (int i = 0; i < values.size(); i++) {
        statement.setString(i + 1, values.get(i));
      }
      statement.closeOnCompletion();
      return statement.executeQuery();
    }

    /** The first column of all rows. */
    String texts() throws SQLException {
      List<String> found = new ArrayList<>();
      try (ResultSet rows = ask()) {
        while (rows.next()) {
          found.add(rows.getString(1));
        }
      }
      return String.join(",", found);
    }
  }
}
