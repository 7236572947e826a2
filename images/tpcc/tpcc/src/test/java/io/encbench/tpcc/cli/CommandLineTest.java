package io.encbench.tpcc.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.encbench.tpcc.settings.InvalidInput;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CommandLineTest {
  @Test
  void overridesMayHoldAnything() throws InvalidInput {
    assertEquals(
        new CommandLine(
            Command.RUN,
            false,
            Path.of("props"),
            Map.of("conn", "jdbc:mysql://h/d?a=b&c=d", "terminals", "4")),
        CommandLine.parse(
            "run",
            "--set",
            "conn=jdbc:mysql://h/d?a=b&c=d",
            "--props",
            "props",
            "--set",
            "terminals=4"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "''|no command: write load, run, check, check-all or drop, or --help",
        "fly|there is no command 'fly': write load, run, check, check-all or drop",
        "run|--props FILE is missing",
        "run --props|--props is the last word: write its value after it",
        "run -p x|there is no option '-p': write --props FILE or --set NAME=VALUE",
        "run --props x --set terminals|--set 'terminals' has no name: write --set NAME=VALUE",
      })
  void whatCannotBeUnderstoodIsRefused(String line, String sentence) {
    String[] words = line.isEmpty() ? new String[0] : line.split(" ");
    assertEquals(
        sentence, assertThrows(InvalidInput.class, () -> CommandLine.parse(words)).getMessage());
  }

  @Test
  void thereIsHelpOnEverything() throws InvalidInput {
    assertTrue(CommandLine.parse("--help").helpText().contains("tpcc check-all --props FILE"));
    for (Command command : Command.values()) {
      CommandLine line = CommandLine.parse(command.word(), "--props", "x", "--help");
      assertTrue(line.help());
      assertTrue(line.helpText().startsWith("tpcc " + command.word() + " --props FILE"));
    }
  }
}
