package io.encbench.jdbc;

import io.encbench.jdbc.generator.Delegating;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;

/**
 * Metadata of the inner driver.
 *
 * <p>What Connector/J cannot read through a proxy is asked by ours. MariaDB's driver hands out the
 * rows under the aliases of its questions, and their values are bound to the server's own names, so
 * a value is refused when it is read.
 */
@Delegating(
    value = DatabaseMetaData.class,
    wrapped = {ResultSet.class, Connection.class})
final class EncryptingDatabaseMetaData extends DatabaseMetaDataDelegate {
  private final DatabaseMetaData inner;

  EncryptingDatabaseMetaData(Session session, DatabaseMetaData inner) {
    super(session, inner);
    this.inner = inner;
  }

  @Override
  ResultSet wrap(ResultSet found) {
    return found == null ? null : new EncryptingResultSet(session, null, found, hidesNames());
  }

  @Override
  Connection wrap(Connection found) {
    return session.connection;
  }

  /** So that a log of a run says through which driver it went. */
  @Override
  public String getDriverName() throws SQLException {
    return "encbench around " + super.getDriverName();
  }

  @Override
  public String getURL() throws SQLException {
    String url = super.getURL();
    return url == null ? null : Target.PREFIX + url;
  }

  /** Null where the inner driver is asked. */
  private Catalogue own() {
    boolean asks = session.inner == Inner.MYSQL && session.opener.hasKey();
    return asks ? new Catalogue(session) : null;
  }

  /** Whether values do not open, because the inner driver tells aliases in place of names. */
  private boolean hidesNames() {
    return session.inner == Inner.MARIADB && session.opener.hasKey();
  }

  /** What a value of such an answer, which does not open, is refused with. */
  static SQLException unopened() {
    return new SQLFeatureNotSupportedException(
        "a proxy has encrypted this metadata, and MariaDB's driver hides the names to which its"
            + " values are bound: use Connector/J after jdbc:encbench:, or ask the server itself",
        "0A000");
  }

  /** Refuses what the inner driver would answer by ciphertext that it has read itself. */
  private void refuseCiphertext() throws SQLException {
    if (!hidesNames()) {
      return;
    }
    try (ResultSet known = inner.getCatalogs()) {
      if (Columns.areAnnounced(known.getMetaData())) {
        throw unopened();
      }
    }
  }

  @Override
  public ResultSet getCatalogs() throws SQLException {
    Catalogue own = own();
    return own == null ? super.getCatalogs() : own.catalogs();
  }

  @Override
  public ResultSet getTables(String catalog, String schema, String name, String[] types)
      throws SQLException {
    Catalogue own = own();
    return own == null
        ? super.getTables(catalog, schema, name, types)
        : own.tables(catalog, name, types);
  }

  @Override
  public ResultSet getColumns(String catalog, String schema, String table, String column)
      throws SQLException {
    Catalogue own = own();
    return own == null
        ? super.getColumns(catalog, schema, table, column)
        : own.columns(catalog, table, column);
  }

  @Override
  public ResultSet getPrimaryKeys(String catalog, String schema, String table) throws SQLException {
    Catalogue own = own();
    return own == null
        ? super.getPrimaryKeys(catalog, schema, table)
        : own.primaryKeys(catalog, table);
  }

  @Override
  public ResultSet getIndexInfo(
      String catalog, String schema, String table, boolean unique, boolean approximate)
      throws SQLException {
    Catalogue own = own();
    return own == null
        ? super.getIndexInfo(catalog, schema, table, unique, approximate)
        : own.indexes(catalog, table, unique);
  }

  @Override
  public ResultSet getImportedKeys(String catalog, String schema, String table)
      throws SQLException {
    refuseCiphertext();
    Catalogue own = own();
    return own == null
        ? super.getImportedKeys(catalog, schema, table)
        : own.importedKeys(catalog, table);
  }

  @Override
  public ResultSet getExportedKeys(String catalog, String schema, String table)
      throws SQLException {
    refuseCiphertext();
    Catalogue own = own();
    return own == null
        ? super.getExportedKeys(catalog, schema, table)
        : own.exportedKeys(catalog, table);
  }

  @Override
  public ResultSet getCrossReference(
      String parentCatalog,
      String parentSchema,
      String parentTable,
      String foreignCatalog,
      String foreignSchema,
      String foreignTable)
      throws SQLException {
    Catalogue own = own();
    return own == null
        ? super.getCrossReference(
            parentCatalog, parentSchema, parentTable, foreignCatalog, foreignSchema, foreignTable)
        : own.keysBetween(parentCatalog, parentTable, foreignCatalog, foreignTable);
  }

  @Override
  public ResultSet getProcedures(String catalog, String schema, String name) throws SQLException {
    Catalogue own = own();
    return own == null ? super.getProcedures(catalog, schema, name) : own.procedures(catalog, name);
  }

  @Override
  public ResultSet getProcedureColumns(
      String catalog, String schema, String procedure, String parameter) throws SQLException {
    Catalogue own = own();
    return own == null
        ? super.getProcedureColumns(catalog, schema, procedure, parameter)
        : own.procedureColumns(catalog, procedure, parameter);
  }

  @Override
  public String getUserName() throws SQLException {
    Catalogue own = own();
    return own == null ? super.getUserName() : own.user();
  }

  @Override
  public String getSQLKeywords() throws SQLException {
    Catalogue own = own();
    return own == null ? super.getSQLKeywords() : own.keywords();
  }
}
