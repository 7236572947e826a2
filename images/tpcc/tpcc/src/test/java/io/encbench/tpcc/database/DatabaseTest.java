package io.encbench.tpcc.database;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.encbench.tpcc.settings.InvalidInput;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DatabaseTest {
  private static final String URL = "jdbc:postgresql://localhost/tpcc";

  @TempDir private Path folder;

  private static String refusal(String driver, String url, Path passwordFile) {
    Access access = new Access(Dialect.POSTGRES, driver, url, "bench", passwordFile, false);
    return assertThrows(InvalidInput.class, () -> Database.of(access)).getMessage();
  }

  @Test
  void anUnknownDriverIsRefused() {
    assertTrue(
        refusal("org.example.Driver", URL, null)
            .startsWith("there is no driver org.example.Driver on the class path: write "));
    assertTrue(
        refusal("java.lang.String", URL, null)
            .startsWith("the class java.lang.String is not a JDBC driver: write "));
  }

  @Test
  void aUrlOfAnotherDriverIsRefused() {
    assertEquals(
        "the driver org.mariadb.jdbc.Driver does not take the URL in conn: " + URL,
        refusal("org.mariadb.jdbc.Driver", URL, null));
  }

  @Test
  void allThreeDriversAreThere() throws InvalidInput {
    for (String[] pair :
        new String[][] {
          {"org.postgresql.Driver", URL},
          {"com.mysql.cj.jdbc.Driver", "jdbc:mysql://localhost/tpcc"},
          {"org.mariadb.jdbc.Driver", "jdbc:mariadb://localhost/tpcc"}
        }) {
      Database.of(new Access(Dialect.POSTGRES, pair[0], pair[1], "bench", null, false));
    }
  }

  @Test
  void aPasswordFileThatIsNotThereIsRefused() {
    Path file = folder.resolve("password");
    assertTrue(refusal("org.postgresql.Driver", URL, file).contains(file.toString()));
  }

  @Test
  void onlyTheLastNewlineIsNotThePassword() throws IOException, InvalidInput {
    Path file = folder.resolve("password");
    Files.writeString(file, " geheim \n\n");
    assertEquals(" geheim \n", Password.read(file));
    Files.writeString(file, "geheim");
    assertEquals("geheim", Password.read(file));
  }
}
