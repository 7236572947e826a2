package io.encbench.tpcc.transaction;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class TerminalTest {
  @Test
  void tenTerminalsAWarehouseHaveADistrictEach() {
    Set<String> places = new HashSet<>();
    for (int number = 0; number < 70; number++) {
      Terminal terminal = Terminal.of(number, 7, true);
      places.add(terminal.warehouse() + "/" + terminal.district());
    }
    assertEquals(70, places.size());
  }

  @Test
  void warehousesAreFilledEvenly() {
    Map<Integer, Integer> counts = new HashMap<>();
    for (int number = 0; number < 64; number++) {
      counts.merge(Terminal.of(number, 10, true).warehouse(), 1, Integer::sum);
    }
    assertEquals(10, counts.size());
    counts.values().forEach(count -> assertEquals(6.5, count, 0.5));
  }

  @Test
  void aTerminalThatIsNotFixedHasNoPlace() {
    assertEquals(new Terminal(1023, 0, 0), Terminal.of(1023, 2, false));
  }
}
