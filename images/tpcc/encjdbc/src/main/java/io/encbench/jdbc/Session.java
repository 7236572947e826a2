package io.encbench.jdbc;

/** What everything that comes from one connection shares. */
final class Session {
  final Inner inner;
  final Opener opener;

  /** Whether envelopes may lie in columns that no proxy has announced as encrypted. */
  final boolean stored;

  /** Set when it is made, which needs this. */
  EncryptingConnection connection;

  Session(Inner inner, Opener opener, boolean stored) {
    this.inner = inner;
    this.opener = opener;
    this.stored = stored;
  }
}
