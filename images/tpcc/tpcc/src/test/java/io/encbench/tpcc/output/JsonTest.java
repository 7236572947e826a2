package io.encbench.tpcc.output;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class JsonTest {
  @Test
  void everyKindOfValue() {
    Json json =
        Json.object()
            .put("text", "a \"b\" \\ \n \u00e4")
            .put("nothing", (String) null)
            .put("whole", 42L)
            .put("true", true)
            .put("fraction", 1.50)
            .put("round", 100.0)
            .put("small", 0.0000001)
            .put("none", Double.NaN)
            .put("object", Json.object().put("a", 1))
            .put("no object", (Json) null)
            .putRaw("list", "[[1,2]]");
    assertEquals(
        "{\"text\":\"a \\\"b\\\" \\\\ \\u000a \u00e4\",\"nothing\":null,\"whole\":42,\"true\":true,"
            + "\"fraction\":1.5,\"round\":100,\"small\":0,\"none\":null,\"object\":{\"a\":1},"
            + "\"no object\":null,\"list\":[[1,2]]}",
        json.toString());
  }
}
