package io.encbench.tpcc.output;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

final class ReasonTest {
  @Test
  void saysTheFirstLineAndTheFirstCause() {
    Throwable failed =
        new SQLException(
            "Communications link failure\n\nThe last packet …",
            new IOException("handshake", new IOException("no valid certification path")));
    assertEquals("Communications link failure: no valid certification path", Reason.of(failed));
  }

  @Test
  void saysNothingTwice() {
    IOException cause = new IOException("Connection refused");
    assertEquals(
        "at 127.0.0.1: Connection refused",
        Reason.of(new SQLException("at 127.0.0.1: Connection refused", cause)));
    assertEquals("java.io.IOException: lost", Reason.of(new SQLException(new IOException("lost"))));
  }

  @Test
  void passesOverWhatSaysNothing() {
    assertEquals("lost", Reason.of(new SQLException(null, null, new IOException("lost"))));
    assertEquals("java.lang.IllegalStateException", Reason.of(new IllegalStateException()));
  }
}
