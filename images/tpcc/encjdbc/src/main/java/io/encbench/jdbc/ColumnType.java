package io.encbench.jdbc;

import java.sql.Types;

/**
 * The types of MySQL and MariaDB as a column definition of the protocol names them: by code, and
 * strings by their flags and whether they are binary.
 */
enum ColumnType {
  DECIMAL(Family.DECIMAL, Types.DECIMAL, 0),
  TINYINT(Family.INTEGER, Types.TINYINT, 3),
  /** {@code TINYINT(1)}, which drivers take for a truth value unless they are asked not to. */
  TRUTH(Family.INTEGER, Types.BIT, 1),
  SMALLINT(Family.INTEGER, Types.SMALLINT, 5),
  MEDIUMINT(Family.INTEGER, Types.INTEGER, 7),
  INT(Family.INTEGER, Types.INTEGER, 10),
  BIGINT(Family.INTEGER, Types.BIGINT, 19),
  FLOAT(Family.FLOATING, Types.REAL, 12),
  DOUBLE(Family.FLOATING, Types.DOUBLE, 22),
  YEAR(Family.YEAR, Types.DATE, 4),
  BIT(Family.BIT, Types.BIT, 0),
  DATE(Family.DATE, Types.DATE, 10),
  TIME(Family.TIME, Types.TIME, 0),
  DATETIME(Family.DATETIME, Types.TIMESTAMP, 0),
  TIMESTAMP(Family.DATETIME, Types.TIMESTAMP, 0),
  CHAR(Family.TEXT, Types.CHAR, 0),
  VARCHAR(Family.TEXT, Types.VARCHAR, 0),
  TEXT(Family.TEXT, Types.LONGVARCHAR, 0),
  ENUM(Family.TEXT, Types.CHAR, 0),
  SET(Family.TEXT, Types.CHAR, 0),
  JSON(Family.TEXT, Types.LONGVARCHAR, 0),
  BINARY(Family.BINARY, Types.BINARY, 0),
  VARBINARY(Family.BINARY, Types.VARBINARY, 0),
  BLOB(Family.BINARY, Types.LONGVARBINARY, 0);

  /** What is read alike. */
  enum Family {
    INTEGER,
    DECIMAL,
    FLOATING,
    YEAR,
    BIT,
    DATE,
    TIME,
    DATETIME,
    TEXT,
    BINARY
  }

  static final int UNSIGNED = 0x20;
  private static final int ENUM_FLAG = 0x100;
  private static final int SET_FLAG = 0x800;

  final Family family;
  private final int jdbc;
  private final int digits;

  ColumnType(Family family, int jdbc, int digits) {
    this.family = family;
    this.jdbc = jdbc;
    this.digits = digits;
  }

  /**
   * The type of a column; what is not known is read as a string.
   *
   * @param code the protocol's
   * @param collation the id of its collation, 63 for binary strings
   */
  static ColumnType of(int code, int flags, int collation) {
    boolean binary = collation == CharacterSets.BINARY;
    return switch (code) {
      case 0, 246 -> DECIMAL;
      case 1 -> TINYINT;
      case 2 -> SMALLINT;
      case 3 -> INT;
      case 4 -> FLOAT;
      case 5 -> DOUBLE;
      case 7 -> TIMESTAMP;
      case 8 -> BIGINT;
      case 9 -> MEDIUMINT;
      case 10 -> DATE;
      case 11 -> TIME;
      case 12 -> DATETIME;
      case 13 -> YEAR;
      case 16 -> BIT;
      case 245 -> JSON;
      case 247 -> ENUM;
      case 248 -> SET;
      case 249, 250, 251, 252 -> binary ? BLOB : TEXT;
      case 254 ->
          (flags & ENUM_FLAG) != 0 ? ENUM : (flags & SET_FLAG) != 0 ? SET : binary ? BINARY : CHAR;
      default -> binary ? VARBINARY : VARCHAR;
    };
  }

  /** The JDBC type that the inner driver has for it. */
  int jdbc(Inner inner) {
    if (inner == Inner.MARIADB && this == TRUTH) {
      return Types.BOOLEAN;
    }
    if (inner == Inner.MARIADB && (this == TEXT || this == JSON)) {
      return Types.VARCHAR;
    }
    return inner == Inner.MARIADB && this == BLOB ? Types.VARBINARY : jdbc;
  }

  /** Its name in SQL as the inner driver reports it. */
  String text(Inner inner) {
    if (this == ENUM || this == SET) {
      return "CHAR";
    }
    if (this == TRUTH) {
      return inner == Inner.MARIADB ? "BOOLEAN" : "BIT";
    }
    return inner == Inner.MARIADB && this == INT ? "INTEGER" : name();
  }

  /** How many digits it has at most, 0 where that depends on the column. */
  int digits() {
    return digits;
  }

  boolean isNumber() {
    return family == Family.INTEGER || family == Family.DECIMAL || family == Family.FLOATING;
  }

  boolean isBinary() {
    return family == Family.BINARY || family == Family.BIT;
  }
}
