package io.encbench.tpcc.settings;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.encbench.tpcc.transaction.Type;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MixTest {
  private static final Mix MIX =
      new Mix(
          Map.of(
              Type.NEW_ORDER, 45.0,
              Type.PAYMENT, 43.0,
              Type.ORDER_STATUS, 0.0,
              Type.DELIVERY, 8.0,
              Type.STOCK_LEVEL, 4.0));

  @Test
  void everyPartOfAHundredHasItsType() {
    assertEquals(Type.NEW_ORDER, MIX.pick(0));
    assertEquals(Type.NEW_ORDER, MIX.pick(44.999));
    assertEquals(Type.PAYMENT, MIX.pick(45));
    assertEquals(Type.DELIVERY, MIX.pick(88));
    assertEquals(Type.STOCK_LEVEL, MIX.pick(99.999));
  }
}
