package io.encbench.jdbc;

import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.util.Properties;
import java.util.logging.Logger;

/**
 * A driver around another one that decrypts the values of encrypted result columns.
 *
 * <p>Its URLs are {@code jdbc:encbench:} and the URL of the driver that does the work. Everything
 * is passed on; {@code docs/encjdbc.md} says what is decrypted and how the key is named.
 */
public final class EncbenchDriver implements Driver {
  static {
    try {
      DriverManager.registerDriver(new EncbenchDriver());
    } catch (SQLException error) {
      throw new ExceptionInInitializerError(error);
    }
  }

  @Override
  public boolean acceptsURL(String url) {
    return Target.isOurs(url);
  }

  @Override
  public Connection connect(String url, Properties properties) throws SQLException {
    if (!Target.isOurs(url)) {
      return null;
    }
    Target target = Target.of(url, properties);
    Inner inner = Inner.of(target.url());
    Opener opener = new Opener(target.mek(System.getenv()), target.stored());
    Options options = new Options(inner, target.url(), target.properties());
    if (opener.hasKey()) {
      options.refuseOthers();
      if (inner == Inner.MYSQL) {
        // It trusts the registered output parameters, because the proxy hides the declared ones.
        target.properties().putIfAbsent("noAccessToProcedureBodies", "true");
      }
    }
    Connection connection = inner.driver().connect(target.url(), target.properties());
    if (connection == null) {
      throw new SQLException(
          "the driver " + inner.className() + " does not take the URL after jdbc:encbench:",
          "08001");
    }
    return new EncryptingConnection(
        new Session(inner, opener, target.stored(), options), connection);
  }

  @Override
  public DriverPropertyInfo[] getPropertyInfo(String url, Properties properties)
      throws SQLException {
    Target target = Target.of(url, properties);
    DriverPropertyInfo[] inner =
        Inner.of(target.url()).driver().getPropertyInfo(target.url(), target.properties());
    DriverPropertyInfo[] all = new DriverPropertyInfo[inner.length + 2];
    System.arraycopy(inner, 0, all, 2, inner.length);
    all[0] = new DriverPropertyInfo(Target.MEK_FILE, target.mekFile());
    all[0].description =
        "The file with the master key as 32 hexadecimal digits; else the environment's "
            + Target.MEK_VARIABLE;
    all[1] = new DriverPropertyInfo(Target.STORED, String.valueOf(target.stored()));
    all[1].description = "true to open envelopes that lie in the server's own binary columns";
    return all;
  }

  @Override
  public int getMajorVersion() {
    return 1;
  }

  @Override
  public int getMinorVersion() {
    return 0;
  }

  @Override
  public boolean jdbcCompliant() {
    return false;
  }

  @Override
  public Logger getParentLogger() {
    return Logger.getLogger("io.encbench.jdbc");
  }
}
