package io.encbench.tpcc;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.encbench.tpcc.output.Output;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.SQLException;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MainTest {
  private static final String KEY = "00112233445566778899aabbccddeeff";
  private static final String URL = "jdbc:users:db?MEK=" + KEY;

  @TempDir private Path folder;

  /** A driver of a user's that repeats what it is given. */
  public static class Talking extends AnyDriver {
    @Override
    public Connection connect(String url, Properties properties) throws SQLException {
      throw new IllegalArgumentException("MEK is " + KEY + " in " + url);
    }
  }

  /** One that connects and then fails with the first statement. */
  public static final class Failing extends Talking {
    @Override
    public Connection connect(String url, Properties properties) {
      return (Connection)
          Proxy.newProxyInstance(
              getClass().getClassLoader(),
              new Class<?>[] {Connection.class},
              (proxy, method, arguments) -> {
                if (method.getName().equals("createStatement")) {
                  throw new SQLException("no key " + KEY, "HY000", new IOException(url));
                }
                return null;
              });
    }
  }

  private String said(Class<? extends Driver> driver) throws IOException {
    Path url = Files.writeString(folder.resolve("url"), URL + "\n");
    Path props =
        Files.writeString(
            folder.resolve("props"),
            "db=mysql\ndriver=%s\nconnFile=%s\nuser=bench\nwarehouses=1\n"
                .formatted(driver.getName(), url));
    ByteArrayOutputStream failures = new ByteArrayOutputStream();
    Output output =
        new Output(
            OutputStream.nullOutputStream(),
            new PrintStream(failures, true, StandardCharsets.UTF_8));
    String[] words = {"drop", "--props", props.toString()};
    assertEquals(1, Main.code(words, output, new AtomicBoolean()));
    return failures.toString(StandardCharsets.UTF_8).strip();
  }

  @Test
  void whatADriverSaysWhileItConnectsIsMasked() throws IOException {
    assertEquals("tpcc: MEK is *** in ***", said(Talking.class));
  }

  @Test
  void whatItSaysOfAStatementIsMaskedWithItsCause() throws IOException {
    assertEquals("tpcc: no key ***: ***", said(Failing.class));
  }
}
