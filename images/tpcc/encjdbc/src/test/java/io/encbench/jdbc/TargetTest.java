package io.encbench.jdbc;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TargetTest {
  private static final String INNER = "jdbc:mysql://db:3307/tpcc";

  @TempDir private Path folder;

  private static Properties properties(String... pairs) {
    Properties properties = new Properties();
    for (int i = 0; i < pairs.length; i += 2) {
      properties.setProperty(pairs[i], pairs[i + 1]);
    }
    return properties;
  }

  private static String refusal(String url, Properties properties) {
    return assertThrows(SQLException.class, () -> new EncbenchDriver().connect(url, properties))
        .getMessage();
  }

  @ParameterizedTest
  @CsvSource({
    "'', ''",
    "?a=1&b=2, ?a=1&b=2",
    "?encbench.mekFile=/keys/mek, ''",
    "?a=1&encbench.mekFile=/keys/mek&b=2, ?a=1&b=2",
    "?encbench.mekFile=/keys/mek&b=2, ?b=2",
  })
  void whatIsOursIsCutOutOfTheUrl(String given, String left) throws SQLException {
    Target target = Target.of("jdbc:encbench:" + INNER + given, null);
    assertEquals(INNER + left, target.url());
    assertEquals(given.contains("mek") ? "/keys/mek" : null, target.mekFile());
  }

  @Test
  void whatIsOursIsNotPassedOnAsAProperty() throws SQLException {
    Properties given = properties("user", "me", "encbench.mekFile", "/keys/mek");
    Target target = Target.of("jdbc:encbench:" + INNER + "?encbench.mekFile=/other", given);
    assertEquals(properties("user", "me"), target.properties());
    assertEquals("/keys/mek", target.mekFile());
  }

  @Test
  void aPathMayBeEncoded() throws SQLException {
    assertEquals(
        "/a b+c&d",
        Target.of("jdbc:encbench:" + INNER + "?encbench.mekFile=/a%20b+c%26d", null).mekFile());
  }

  @Test
  void theEnvironmentIsTheLastToBeAsked() throws Exception {
    Path file = Files.writeString(folder.resolve("mek"), "00".repeat(16) + "\n");
    Target none = Target.of("jdbc:encbench:" + INNER, null);
    assertNull(none.mek(Map.of()));
    assertArrayEquals(new byte[16], none.mek(Map.of("ENCBENCH_MEK_FILE", file.toString())).bytes());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "00",
        "zz",
        "0123456789abcdef0123456789abcdeg",
        " 0123456789abcdef0123456789abcde",
        "0123456789abcdef0123456789abcdef0",
        "0123456789abcdef0123456789abcdef\n\n"
      })
  void aKeyThatIsNoneIsRefusedAndNotShown(String text) throws Exception {
    Path file = Files.writeString(folder.resolve("mek"), text);
    String said =
        refusal("jdbc:encbench:" + INNER, properties("encbench.mekFile", file.toString()));
    assertTrue(said.startsWith("the MEK file " + file + " has "), said);
    assertTrue(said.endsWith(": write a file of 32 hexadecimal digits, 16 bytes"), said);
    assertFalse(text.length() > 5 && said.contains(text.strip()), said);
  }

  @Test
  void aLineEndAfterTheKeyIsAllowedAndTheKeyIsNotPrinted() throws Exception {
    for (String end : new String[] {"", "\n", "\r\n"}) {
      Path file =
          Files.writeString(folder.resolve("mek"), "0123456789ABCDEFfedcba9876543210" + end);
      Mek mek = Mek.read(file);
      assertEquals(16, mek.bytes().length);
      assertEquals("the MEK in " + file, mek.toString());
    }
  }

  @Test
  void aFileThatIsNotThereIsRefused() {
    assertTrue(
        refusal("jdbc:encbench:" + INNER, properties("encbench.mekFile", "/no/such"))
            .startsWith("the MEK file /no/such is not there: "));
  }

  @Test
  void whatIsUnknownIsRefused() {
    assertEquals(
        "there is no property encbench.mekfile: write encbench.mekFile or encbench.stored",
        refusal("jdbc:encbench:" + INNER + "?encbench.mekfile=/x", null));
    assertTrue(refusal("jdbc:encbench:jdbc:oracle:thin:x", null).contains("write one that begins"));
  }

  @Test
  void anotherZoneIsRefusedWhereTimesAreDecrypted() throws Exception {
    Path file = Files.writeString(folder.resolve("mek"), "00".repeat(16));
    Properties key = properties("encbench.mekFile", file.toString());
    String url = "jdbc:encbench:" + INNER + "?connectionTimeZone=SERVER";
    assertTrue(refusal(url, key).startsWith("connectionTimeZone is SERVER"));
    key.setProperty("serverTimezone", "UTC");
    assertTrue(refusal("jdbc:encbench:" + INNER, key).startsWith("serverTimezone is UTC"));
  }

  /** Connector/J takes any property beside a host, and decodes what stands in a URL. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "address=(host=h)(port=3306)(connectionTimeZone=UTC)/tpcc",
        "(host=h,connectionTimeZone=UTC)/tpcc?connectionTimeZone=LOCAL",
        "(host=h, CONNECTIONTIMEZONE = utc )/tpcc",
        "[(host=h),(host=i,connectionTimeZone=UTC)]/tpcc",
        "address=(host=h)(connection%54imeZone=U%54C)",
        "h/tpcc?connection%54imeZone=U%54C",
      })
  void whatIsRefusedIsRefusedWhereverItStands(String rest) {
    Options options = new Options(Inner.MYSQL, "jdbc:mysql://" + rest, new Properties());
    String said = assertThrows(SQLException.class, options::refuseOthers).getMessage();
    assertTrue(said.toLowerCase(Locale.ROOT).startsWith("connectiontimezone is utc, but "), said);
  }

  @Test
  void aListAmongTheParametersIsNoneOfThem() throws SQLException {
    for (String url :
        new String[] {
          INNER + "?sessionVariables=a=(1,timezone=UTC)&b=100%",
          "jdbc:mysql://address=(host=h)(connectionTimeZone=LOCAL)/tpcc"
        }) {
      new Options(Inner.MYSQL, url, new Properties()).refuseOthers();
    }
  }

  @Test
  void otherUrlsAreLeftToOthers() throws SQLException {
    EncbenchDriver driver = new EncbenchDriver();
    assertFalse(driver.acceptsURL(INNER));
    assertFalse(driver.acceptsURL(null));
    assertNull(driver.connect(INNER, null));
    assertEquals(
        EncbenchDriver.class, DriverManager.getDriver("jdbc:encbench:" + INNER).getClass());
  }

  @Test
  void whetherEnvelopesAreStoredIsYesOrNo() throws SQLException {
    assertFalse(Target.of("jdbc:encbench:" + INNER, null).stored());
    Target stored = Target.of("jdbc:encbench:" + INNER + "?encbench.stored=true&a=1", null);
    assertTrue(stored.stored());
    assertEquals(INNER + "?a=1", stored.url());
    assertEquals(
        "encbench.stored is yes: write true or false",
        refusal("jdbc:encbench:" + INNER, properties("encbench.stored", "yes")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"useOldAliasMetadataBehavior=true", "blankTableNameMeta=TRUE"})
  void namesThatAreHiddenAreRefused(String parameter) throws Exception {
    Path file = Files.writeString(folder.resolve("mek"), "00".repeat(16));
    String[] pair = parameter.split("=");
    for (String said :
        new String[] {
          refusal(
              "jdbc:encbench:" + INNER + "?" + parameter,
              properties("encbench.mekFile", file.toString())),
          refusal(
              "jdbc:encbench:" + INNER,
              properties("encbench.mekFile", file.toString(), pair[0], pair[1]))
        }) {
      assertTrue(said.contains("hides the names to which encrypted values are bound"), said);
    }
  }

  /** The inner driver would store what it has read. */
  @Test
  void updatableRowsAreRefusedWhereThereIsAKey() throws Exception {
    Connection inner =
        (Connection)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, arguments) -> null);
    Mek mek = new Mek(Path.of("/keys/mek"), new byte[16]);
    Options options = new Options(Inner.MYSQL, INNER, new Properties());
    int type = ResultSet.TYPE_FORWARD_ONLY;
    int updatable = ResultSet.CONCUR_UPDATABLE;
    Connection with =
        new EncryptingConnection(
            new Session(Inner.MYSQL, new Opener(mek, false), false, options), inner);
    for (Executable asked :
        new Executable[] {
          () -> with.createStatement(type, updatable),
          () -> with.createStatement(type, updatable, 1),
          () -> with.prepareStatement("", type, updatable),
          () -> with.prepareStatement("", type, updatable, 1),
          () -> with.prepareCall("", type, updatable),
          () -> with.prepareCall("", type, updatable, 1)
        }) {
      assertThrows(SQLFeatureNotSupportedException.class, asked);
    }
    with.createStatement(type, ResultSet.CONCUR_READ_ONLY);
    Connection without =
        new EncryptingConnection(
            new Session(Inner.MYSQL, new Opener(null, false), false, options), inner);
    without.createStatement(type, updatable);
  }

  @Test
  void truthsAreReadUnlessThatIsSwitchedOff() {
    assertTrue(hasTruths("?x=y"));
    assertTrue(hasTruths("?tinyInt1isBit=true"));
    assertFalse(hasTruths("?x=y&tinyInt1isBit=false"));
    assertFalse(hasTruths("", "tinyInt1isBit", "false"));
  }

  private static boolean hasTruths(String parameters, String... pairs) {
    return new Options(Inner.MYSQL, INNER + parameters, properties(pairs)).hasTruths();
  }

  @Test
  void nullMeansTheCurrentDatabaseOnlyWhereThatIsAskedFor() {
    assertFalse(nullMeansCurrent(""));
    assertTrue(nullMeansCurrent("?nullDatabaseMeansCurrent=true"));
    assertTrue(nullMeansCurrent("?a=1&nullCatalogMeansCurrent=YES"));
    assertTrue(nullMeansCurrent("", "nullCatalogMeansCurrent", "true"));
    assertFalse(
        nullMeansCurrent("?nullCatalogMeansCurrent=true", "nullCatalogMeansCurrent", "false"));
    String ofHost = "jdbc:mysql://(host=h,nullCatalogMeansCurrent=true)/tpcc";
    Properties other = properties("nullCatalogMeansCurrent", "false");
    assertTrue(new Options(Inner.MYSQL, ofHost, other).nullMeansCurrent());
  }

  private static boolean nullMeansCurrent(String parameters, String... pairs) {
    return new Options(Inner.MYSQL, INNER + parameters, properties(pairs)).nullMeansCurrent();
  }

  @Test
  void databasesAsSchemasAreRefused() throws SQLException {
    Options asked = new Options(Inner.MYSQL, INNER + "?databaseTerm=SCHEMA", new Properties());
    assertEquals(
        "databaseTerm is SCHEMA, but metadata names databases as catalogues only: write CATALOG or"
            + " leave it out",
        assertThrows(SQLException.class, asked::refuseOthers).getMessage());
    new Options(Inner.MYSQL, INNER + "?databaseTerm=catalog", new Properties()).refuseOthers();
  }

  @ParameterizedTest
  @CsvSource({
    "MYSQL, zeroDateTimeBehavior, CONVERT_TO_NULL, EXCEPTION",
    "MYSQL, yearIsDateType, no, TRUE",
    "MYSQL, treatMysqlDatetimeAsTimestamp, true, FALSE",
    "MYSQL, transformedBitIsBoolean, TRUE, FALSE",
    "MARIADB, transformedBitIsBoolean, 0, TRUE",
  })
  void whatHasTheInnerDriverAnswerOtherwiseIsRefused(
      Inner inner, String name, String other, String only) throws SQLException {
    for (Options options :
        new Options[] {
          new Options(inner, INNER + "?a=1&" + name + "=" + other, new Properties()),
          new Options(inner, INNER, properties(name, other))
        }) {
      assertEquals(
          "%s is %s, but encrypted values are read as with %s only: write %s or leave it out"
              .formatted(name, other, only, only),
          assertThrows(SQLException.class, options::refuseOthers).getMessage());
    }
    new Options(inner, INNER + "?" + name + "=" + only.toLowerCase(), new Properties())
        .refuseOthers();
    new Options(Inner.POSTGRESQL, INNER, properties(name, other)).refuseOthers();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{call gives(?, ?)}|{call gives/*! */(?, ?)}",
        "{ ? = CALL gives (?)}|{ ? = CALL gives/*! */ (?)}",
        "call `a``b`(1)|call `a``b`/*! */(1)",
        "{call other . gives(?)}|{call other . gives/*! */(?)}",
        "{call `other`.`gives`}|{call `other`.`gives`/*! */}",
        "{call grüße(?)}|{call grüße/*! */(?)}",
        "SELECT 1|SELECT 1",
        "{callgives()}|{callgives()}",
      })
  void aCallGetsANameThatNoCatalogueHas(String sql, String unlisted) {
    assertEquals(unlisted, Routine.unlisted(sql));
  }
}
