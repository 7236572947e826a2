package io.encbench.jdbc;

import java.util.HashMap;
import java.util.Map;

/** What everything that comes from one connection shares. */
final class Session {
  /** Columns that are remembered; a program can make up any number of tables. */
  private static final int MOST = 4096;

  private record Name(String table, String column) {}

  final Inner inner;
  final Opener opener;

  /** Whether envelopes may lie in columns that no proxy has announced as encrypted. */
  final boolean stored;

  /** Whether {@code TINYINT(1)} holds truth values, as it does for drivers unless asked not to. */
  final boolean truths;

  /** Whether a catalogue of null, in a question about tables, is the connection's. */
  final boolean nullMeansCurrent;

  /** That of values whose column is not known; one for all, because each remembers the next. */
  final Binding unnamed = new Binding();

  /** Those of the columns that were read. Result sets may be read by several threads. */
  private final Map<Name, Binding> bindings = new HashMap<>();

  /** Set when it is made, which needs this. */
  EncryptingConnection connection;

  Session(Inner inner, Opener opener, boolean stored, Options options) {
    this.inner = inner;
    this.opener = opener;
    this.stored = stored;
    truths = options.hasTruths();
    nullMeansCurrent = options.nullMeansCurrent();
  }

  /**
   * What the values of a column are bound to, by the names that the server has for it.
   *
   * @param likely what may be it, or null: to compare the names is cheaper than to look them up
   */
  Binding binding(String table, String column, Binding likely) {
    return likely != null && likely.isOf(table, column) ? likely : binding(table, column);
  }

  private synchronized Binding binding(String table, String column) {
    if (bindings.size() == MOST) {
      bindings.clear();
    }
    return bindings.computeIfAbsent(new Name(table, column), key -> new Binding(table, column));
  }
}
