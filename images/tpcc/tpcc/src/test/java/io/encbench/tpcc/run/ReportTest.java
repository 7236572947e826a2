package io.encbench.tpcc.run;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.encbench.tpcc.output.Output;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReportTest {
  /** The reason may be what a driver said. */
  @Test
  void aSecretInTheReasonIsMasked() {
    ByteArrayOutputStream written = new ByteArrayOutputStream();
    Output output = new Output(written);
    output.hide(List.of("geheim\"er"));
    new Report(output, new Window(), new Errors(output)).print("Term-01 failed: geheim\"er");
    String said = written.toString(StandardCharsets.UTF_8);
    assertTrue(said.contains("\"reason\":\"Term-01 failed: ***\""), said);
  }
}
