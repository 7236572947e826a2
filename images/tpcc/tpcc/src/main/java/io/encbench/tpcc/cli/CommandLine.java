package io.encbench.tpcc.cli;

import io.encbench.tpcc.settings.InvalidInput;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What was asked for on the command line.
 *
 * @param command null for help about all of them
 * @param help whether only help is wanted
 * @param overrides properties in place of the file's
 */
public record CommandLine(
    Command command, boolean help, Path properties, Map<String, String> overrides) {

  /** Understands the words of a command line. */
  public static CommandLine parse(String... words) throws InvalidInput {
    if (words.length == 0) {
      throw new InvalidInput("no command: write load, run, check, check-all or drop, or --help");
    }
    if (isHelp(words[0])) {
      return new CommandLine(null, true, null, Map.of());
    }
    Command command =
        Command.of(words[0])
            .orElseThrow(
                () ->
                    new InvalidInput(
                        "there is no command '"
                            + words[0]
                            + "': write load, run, check, check-all or drop"));
    Path properties = null;
    Map<String, String> overrides = new LinkedHashMap<>();
    for (int i = 1; i < words.length; i++) {
      switch (words[i]) {
        case "--help", "-h" -> {
          return new CommandLine(command, true, null, Map.of());
        }
        case "--props" -> properties = Path.of(after(words, i++));
        case "--set" -> override(after(words, i++), overrides);
        default ->
            throw new InvalidInput(
                "there is no option '" + words[i] + "': write --props FILE or --set NAME=VALUE");
      }
    }
    if (properties == null) {
      throw new InvalidInput("--props FILE is missing");
    }
    return new CommandLine(command, false, properties, overrides);
  }

  /** The text for people. */
  public String helpText() {
    if (command != null) {
      return """
          tpcc %s --props FILE [--set NAME=VALUE]...: %s

          %s
          --set replaces a property of the file."""
          .formatted(command.word(), command.summary(), command.details());
    }
    StringBuilder text =
        new StringBuilder("A TPC-C client over JDBC with the properties of BenchmarkSQL 5.\n\n");
    for (Command each : Command.values()) {
      text.append(String.format("  tpcc %-9s --props FILE   %s%n", each.word(), each.summary()));
    }
    return text + "\ntpcc COMMAND --help says more. What it measures is not a TPC result.";
  }

  private static boolean isHelp(String word) {
    return word.equals("--help") || word.equals("-h");
  }

  private static String after(String[] words, int i) throws InvalidInput {
    if (i + 1 == words.length) {
      throw new InvalidInput(words[i] + " is the last word: write its value after it");
    }
    return words[i + 1];
  }

  private static void override(String text, Map<String, String> overrides) throws InvalidInput {
    int equals = text.indexOf('=');
    if (equals < 1) {
      throw new InvalidInput("--set '" + text + "' has no name: write --set NAME=VALUE");
    }
    overrides.put(text.substring(0, equals), text.substring(equals + 1));
  }
}
