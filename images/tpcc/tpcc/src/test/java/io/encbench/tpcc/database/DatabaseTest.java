package io.encbench.tpcc.database;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.encbench.tpcc.output.Output;
import io.encbench.tpcc.settings.InvalidInput;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DatabaseTest {
  private static final String URL = "jdbc:postgresql://localhost/tpcc";

  private final Output output = new Output(OutputStream.nullOutputStream());

  @TempDir private Path folder;

  private static Access access(String driver, String url, Path passwordFile, Path mekFile) {
    return new Access(Dialect.POSTGRES, driver, url, null, "bench", passwordFile, mekFile, false);
  }

  private String refusal(Access access) {
    return assertThrows(InvalidInput.class, () -> Database.of(access, output)).getMessage();
  }

  private String refusal(String driver, String url, Path passwordFile) {
    return refusal(access(driver, url, passwordFile, null));
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
  void allDriversAreThere() throws InvalidInput {
    for (String[] pair :
        new String[][] {
          {"org.postgresql.Driver", URL},
          {"com.mysql.cj.jdbc.Driver", "jdbc:mysql://localhost/tpcc"},
          {"org.mariadb.jdbc.Driver", "jdbc:mariadb://localhost/tpcc"},
          {"io.encbench.jdbc.EncbenchDriver", "jdbc:encbench:jdbc:mysql://localhost/tpcc"}
        }) {
      Database.of(access(pair[0], pair[1], null, null), output);
    }
  }

  @Test
  void aPasswordFileThatIsNotThereIsRefused() {
    Path file = folder.resolve("password");
    assertTrue(refusal("org.postgresql.Driver", URL, file).contains(file.toString()));
  }

  @Test
  void aKeyIsForOurDriverAlone() throws IOException {
    Path file = Files.writeString(folder.resolve("mek"), "00".repeat(16));
    assertTrue(
        refusal(access("org.postgresql.Driver", URL, null, file))
            .startsWith("mekFile is for the driver io.encbench.jdbc.EncbenchDriver alone: "));
  }

  @Test
  void aKeyThatIsNotThereIsRefused() {
    Path file = folder.resolve("mek");
    String url = "jdbc:encbench:jdbc:mysql://localhost/tpcc";
    assertTrue(
        refusal(access("io.encbench.jdbc.EncbenchDriver", url, null, file))
            .startsWith("the mekFile " + file + " cannot be read: "));
  }

  @Test
  void aUrlFromAFileIsNeverSaid() throws IOException, InvalidInput {
    String key = "00112233445566778899aabbccddeeff";
    String url = "jdbc:mysql:encdb://localhost:3306/tpcc?MEK=" + key + "&ENC_ALGO=SM4_128_GCM";
    Path file = Files.writeString(folder.resolve("url"), url + "\n");
    Access access =
        new Access(
            Dialect.MYSQL, "com.mysql.cj.jdbc.Driver", null, file, "bench", null, null, false);
    assertEquals(
        "the driver com.mysql.cj.jdbc.Driver does not take the URL in connFile", refusal(access));
    assertEquals("no key *** for ***", output.masked("no key " + key + " for " + url));
    Url secret = Url.of(access);
    assertEquals(url, secret.text());
    assertEquals("connFile", secret.toString());
  }

  @Test
  void whatADriverDecodesIsNotSaidEither() throws InvalidInput {
    String url = "jdbc:mysql://localhost/tpcc?user=geheim&MEK=geheim%2Bkey%3D%3D&ratio=100%";
    output.hide(Secrets.of(new Url(url, "connFile"), null, Map.of()));
    assertEquals("*** of *** is no key", output.masked("geheim+key== of geheim is no key"));
  }

  @Test
  void aKeyAmongTheKeysOfAnAddressIsNotSaid() throws InvalidInput {
    String key = "00112233445566778899aabbccddeeff";
    String url = "jdbc:mysql:encdb://address=(host=db)(port=3306)(MEK=" + key + ")/tpcc";
    output.hide(Secrets.of(new Url(url, "connFile"), null, Map.of()));
    assertEquals("no key *** for ***", output.masked("no key " + key + " for " + url));
  }

  @Test
  void aKeyIsNotSaidWhereverTheUrlHasIt() throws IOException, InvalidInput {
    String key = "00112233445566778899aabbccddeeff";
    Path file = Files.writeString(folder.resolve("mek"), key + "\n");
    Url url = new Url("jdbc:users:" + key + "@db:3306/tpcc", "connFile");
    output.hide(Secrets.of(url, null, Map.of("ENCBENCH_MEK_FILE", file.toString())));
    assertEquals("no key ***", output.masked("no key " + key));
  }

  @Test
  void aPasswordIsNotSaid() throws IOException, InvalidInput {
    Path file = Files.writeString(folder.resolve("password"), "geheim!\n");
    Database.of(access("org.postgresql.Driver", URL, file, null), output);
    assertEquals("*** is refused", output.masked("geheim! is refused"));
  }

  @Test
  void aFileOfAKeyThatIsNotThereIsRefused() {
    Map<String, String> environment = Map.of("ENCBENCH_MEK_FILE", folder.resolve("no").toString());
    String refused =
        assertThrows(
                InvalidInput.class, () -> Secrets.of(new Url(URL, "connFile"), null, environment))
            .getMessage();
    assertTrue(refused.startsWith("the ENCBENCH_MEK_FILE "), refused);
    assertTrue(refused.endsWith("write the path of a file that holds the key"), refused);
  }

  @Test
  void aUrlOfTheSettingsIsNoSecret() {
    assertEquals(List.of(), new Url("jdbc:mysql://localhost/tpcc?a=123456", "conn").secrets());
  }

  @Test
  void onlyMariadbSDriverAsksADeleteForRows() {
    String mariadb = "jdbc:mariadb://localhost/tpcc";
    assertTrue(Abilities.of(Dialect.MARIADB, mariadb, false).deletesFirst());
    assertTrue(Abilities.of(Dialect.MARIADB, "jdbc:encbench:" + mariadb, false).deletesFirst());
    for (String url :
        List.of("jdbc:mysql://localhost/tpcc", "jdbc:encbench:jdbc:mysql://localhost/tpcc")) {
      assertFalse(Abilities.of(Dialect.MARIADB, url, false).deletesFirst());
    }
    assertFalse(Abilities.of(Dialect.MARIADB, mariadb, true).deletesFirst());
  }

  @Test
  void onlyTheLastNewlineIsNotThePassword() throws IOException, InvalidInput {
    Path file = folder.resolve("password");
    Files.writeString(file, " geheim \n\n");
    assertEquals(" geheim \n", SecretFile.read("passwordFile", file));
    Files.writeString(file, "geheim");
    assertEquals("geheim", SecretFile.read("passwordFile", file));
  }
}
