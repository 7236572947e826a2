package io.encbench.jdbc;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Properties;

/**
 * Our driver with a cipher that only copies: what all of it but the cryptography costs.
 *
 * <p>It exists among the tests alone, so no setting can switch cryptography off.
 */
final class Copying extends Opener {
  private Copying(Mek mek) {
    super(mek, true);
  }

  static Connection connected(String url, Properties properties) throws SQLException {
    Target target = Target.of(url, properties);
    Opener opener = new Copying(target.mek(System.getenv()));
    Inner inner = Inner.of(target.url());
    Options options = new Options(inner, target.url(), target.properties());
    Session session = new Session(inner, opener, true, options);
    return new EncryptingConnection(
        session, DriverManager.getConnection(target.url(), target.properties()));
  }

  @Override
  Algorithm algorithm(byte[] envelope, Place place, int number) {
    return (whole, binding) ->
        Arrays.copyOfRange(whole, Envelope.CONTENT_AT, whole.length - Envelope.TAG_BYTES);
  }
}
