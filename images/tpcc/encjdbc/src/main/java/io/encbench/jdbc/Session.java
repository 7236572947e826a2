package io.encbench.jdbc;

/** What everything that comes from one connection shares. */
final class Session {
  final Inner inner;
  final Opener opener;

  /** Set when it is made, which needs this. */
  EncryptingConnection connection;

  Session(Inner inner, Opener opener) {
    this.inner = inner;
    this.opener = opener;
  }
}
