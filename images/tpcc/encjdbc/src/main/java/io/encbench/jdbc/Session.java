package io.encbench.jdbc;

/** What everything that comes from one connection shares. */
final class Session {
  final Inner inner;
  final Opener opener;

  /** Whether envelopes may lie in columns that no proxy has announced as encrypted. */
  final boolean stored;

  /** Whether {@code TINYINT(1)} holds truth values, as it does for drivers unless asked not to. */
  final boolean truths;

  /** Set when it is made, which needs this. */
  EncryptingConnection connection;

  Session(Inner inner, Opener opener, boolean stored, boolean truths) {
    this.inner = inner;
    this.opener = opener;
    this.stored = stored;
    this.truths = truths;
  }
}
