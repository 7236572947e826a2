package io.encbench.tpcc.settings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.encbench.tpcc.database.Dialect;
import io.encbench.tpcc.transaction.Type;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SettingsReaderTest {
  private static Map<String, String> properties(String... pairs) {
    Map<String, String> properties =
        new HashMap<>(
            Map.of(
                "db", "postgres",
                "driver", "org.postgresql.Driver",
                "conn", "jdbc:postgresql://localhost/tpcc",
                "user", "bench",
                "warehouses", "2",
                "terminals", "8",
                "runMins", "5"));
    for (int i = 0; i < pairs.length; i += 2) {
      properties.put(pairs[i], pairs[i + 1]);
    }
    return properties;
  }

  private static String refusal(String... pairs) {
    return assertThrows(InvalidInput.class, () -> SettingsReader.read(properties(pairs), true))
        .getMessage();
  }

  @Test
  void whatIsLeftOutHasDefaults() throws InvalidInput {
    Settings settings = SettingsReader.read(properties(), true);
    assertEquals(Dialect.POSTGRES, settings.access().dialect());
    assertNull(settings.access().passwordFile());
    assertEquals(new Terminals(8, 0, 8, false), settings.terminals());
    assertEquals(new Length(0, 300, 0), settings.length());
    assertEquals(45.0, settings.mix().weights().get(Type.NEW_ORDER));
    assertEquals(0, settings.limitPerMinute());
    assertTrue(settings.foreignKeys());
    assertEquals(30, settings.deadlineSeconds());
    assertEquals(Statements.LEAN, settings.statements());
  }

  @Test
  void blanksBelongToAUsersNameAlone() throws InvalidInput {
    Settings settings =
        SettingsReader.read(properties("user", " bench ", "warehouses", "2 \t"), true);
    assertEquals(" bench ", settings.access().user());
    assertEquals(2, settings.warehouses());
  }

  @Test
  void statementsAreOneOfTwo() throws InvalidInput {
    Settings settings = SettingsReader.read(properties("statements", "benchmarksql"), true);
    assertEquals(Statements.BENCHMARKSQL, settings.statements());
    assertEquals("statements is 'fast': write benchmarksql or lean", refusal("statements", "fast"));
  }

  @Test
  void theUrlIsHereOrInAFile() throws InvalidInput {
    assertTrue(refusal("connFile", "/url").startsWith("conn and connFile are both there: "));
    Map<String, String> properties = properties("connFile", "/url", "mekFile", "/mek");
    properties.remove("conn");
    Settings settings = SettingsReader.read(properties, true);
    assertNull(settings.access().url());
    assertEquals("/url", settings.access().urlFile().toString());
    assertEquals("/mek", settings.access().mekFile().toString());
    assertFalse(settings.probeColumns());
  }

  @Test
  void zeroMeansNotGivenAsInBenchmarkSqlsOwnFiles() throws InvalidInput {
    Settings settings =
        SettingsReader.read(
            properties("runMins", "0", "runTxnsPerTerminal", "10", "limitTxnsPerMin", "0"), true);
    assertEquals(new Length(0, 0, 10), settings.length());
  }

  @Test
  void aLoadNeedsNoTerminals() throws InvalidInput {
    Map<String, String> properties = properties();
    properties.remove("terminals");
    properties.remove("runMins");
    assertNull(SettingsReader.read(properties, false).terminals());
    InvalidInput refused =
        assertThrows(InvalidInput.class, () -> SettingsReader.read(properties, true));
    assertEquals("the property terminals is missing", refused.getMessage());
  }

  @Test
  void replicasShareTheTerminals() throws InvalidInput {
    Settings settings =
        SettingsReader.read(
            properties("terminalOffset", "8", "terminalsTotal", "20", "terminals", "12"), true);
    assertEquals(new Terminals(12, 8, 20, false), settings.terminals());
    assertEquals(
        "terminalOffset 9 and terminals 12 go beyond terminalsTotal 20: terminalsTotal is what all"
            + " clients have together",
        refusal("terminalOffset", "9", "terminalsTotal", "20", "terminals", "12"));
  }

  @Test
  void weightsMustAddUpTo100() {
    assertEquals(
        "the weights add up to 98, not to 100 (newOrderWeight 43, paymentWeight 43,"
            + " orderStatusWeight 4, deliveryWeight 4, stockLevelWeight 4): the usual ones are 45,"
            + " 43, 4, 4 and 4",
        refusal(
            "newOrderWeight", "43",
            "paymentWeight", "43",
            "orderStatusWeight", "4",
            "deliveryWeight", "4",
            "stockLevelWeight", "4"));
    assertTrue(refusal("paymentWeight", "100.5", "deliveryWeight", "-0.5").contains("negative"));
  }

  @Test
  void someWeightsLeaveTheOthersAtNothing() throws InvalidInput {
    Mix mix =
        SettingsReader.read(properties("newOrderWeight", "56.8", "paymentWeight", "43.2"), true)
            .mix();
    assertEquals(0.0, mix.weights().get(Type.DELIVERY));
  }

  @Test
  void fixedTerminalsNeedDistrictsOfTheirOwn() throws InvalidInput {
    assertEquals(
        "terminalWarehouseFixed=true gives each terminal a district of its own, and 21 terminals are"
            + " more than the 20 districts of 2 warehouses: use at least 3 warehouses, at most 20"
            + " terminals, or terminalWarehouseFixed=false",
        refusal("terminals", "21", "terminalWarehouseFixed", "true"));
    assertTrue(
        refusal(
                "terminals", "5",
                "terminalsTotal", "21",
                "terminalWarehouseFixed", "true")
            .contains("21 terminals"));
    assertFalse(
        SettingsReader.read(properties("terminals", "1024"), true).terminals().warehouseFixed());
  }

  @Test
  void oneThingSaysHowLong() {
    assertEquals(
        "runMins is 5, runSeconds 0 and runTxnsPerTerminal 10: set one of them and leave the others"
            + " out or at 0",
        refusal("runTxnsPerTerminal", "10"));
    assertTrue(refusal("runSeconds", "3").contains("set one of them"));
    assertTrue(refusal("runMins", "0").contains("nothing says how long"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "db|oracle|db is 'oracle': write postgres, mysql or mariadb",
        "warehouses|0|warehouses is '0': write a whole number of 1 or more",
        "warehouses|two|warehouses is 'two': write a whole number of 1 or more",
        "terminals|99999999999|terminals is 99999999999: at most 2147483647",
        "seed|x|seed is 'x': write a whole number",
        "terminalWarehouseFixed|yes|terminalWarehouseFixed is 'yes': write true or false",
        "paymentWeight|lots|paymentWeight is 'lots': write a number",
        "user|''|the property user is missing",
        "terminal|8|there is no property terminal: did you mean terminals?",
        "paymentweight|8|there is no property paymentweight: did you mean paymentWeight?",
        "colour|red|there is no property colour: leave it out",
        "sutThreads|8|sutThreads is a property of BenchmarkSQL 6, and this client takes those of 5: use terminals",
      })
  void whatCannotBeMeantIsRefused(String name, String value, String sentence) {
    assertEquals(sentence, refusal(name, value));
  }

  @Test
  void aPasswordIsRefusedAndNotRepeated() {
    String sentence = refusal("password", "geheim");
    assertTrue(sentence.contains("passwordFile"));
    assertFalse(sentence.contains("geheim"));
  }

  @Test
  void theEchoHasWhatWasGivenInBenchmarkSqlsOrder() throws InvalidInput {
    assertEquals(
        "[db, driver, conn, user, warehouses, terminals, runMins]",
        SettingsReader.read(properties(), true).echo().keySet().toString());
  }
}
