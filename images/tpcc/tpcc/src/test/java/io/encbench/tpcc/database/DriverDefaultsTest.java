package io.encbench.tpcc.database;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Properties;
import org.junit.jupiter.api.Test;

class DriverDefaultsTest {
  @Test
  void theUrlPrevails() {
    Properties beside =
        DriverDefaults.beside(
            "jdbc:mysql://host/tpcc?rewriteBatchedStatements=false&connectTimeout=1");
    assertFalse(beside.containsKey("rewriteBatchedStatements"));
    assertFalse(beside.containsKey("connectTimeout"));
    assertEquals("true", beside.getProperty("cachePrepStmts"));
  }

  @Test
  void ourDriverHasThoseOfTheOneInside() {
    assertEquals(
        DriverDefaults.beside("jdbc:mysql://host/tpcc?connectTimeout=1"),
        DriverDefaults.beside("jdbc:encbench:jdbc:mysql://host/tpcc?connectTimeout=1"));
  }

  @Test
  void mariadbSDriverSendsABatchAlikeDirectlyAndThroughTheProxy() {
    for (String prefix : new String[] {"", "jdbc:encbench:"}) {
      Properties beside = DriverDefaults.beside(prefix + "jdbc:mariadb://host/tpcc");
      assertEquals("false", beside.getProperty("useBulkStmts"));
    }
    Properties own = DriverDefaults.beside("jdbc:mariadb://host/tpcc?useBulkStmts=true");
    assertFalse(own.containsKey("useBulkStmts"));
  }

  @Test
  void aLoadKeepsTheBulkCommands() {
    Properties run = DriverDefaults.beside("jdbc:mariadb://host/tpcc");
    Properties load = DriverDefaults.forLoad(run);
    assertFalse(load.containsKey("useBulkStmts"));
    load.setProperty("useBulkStmts", "false");
    assertEquals(run, load);
  }

  @Test
  void driversThatWrapOthersAreLeftAlone() {
    assertTrue(DriverDefaults.beside("jdbc:mysql:encdb://host/tpcc").isEmpty());
    assertFalse(DriverDefaults.beside("jdbc:postgresql://host/tpcc").isEmpty());
  }
}
