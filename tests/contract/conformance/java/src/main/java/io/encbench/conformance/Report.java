package io.encbench.conformance;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** What was read, a line each, with its class, so that a value of another type is a difference. */
final class Report {
  private final PrintStream out;

  Report(PrintStream out) {
    this.out = new PrintStream(out, true, StandardCharsets.UTF_8);
  }

  void say(String what, Object value) {
    out.println(what + ": " + text(value));
  }

  /** An error, without its text, which a strict proxy withholds. */
  void refused(String what, Attempt attempt) {
    try {
      attempt.run();
      out.println(what + ": no error");
    } catch (Exception error) {
      out.println(what + ": " + error.getClass().getName());
    }
  }

  static String text(Object value) {
    if (value == null) {
      return "null";
    }
    if (value instanceof byte[] bytes) {
      return "bytes " + HexFormat.of().formatHex(bytes);
    }
    if (value instanceof Map<?, ?> map) {
      return map.entrySet().stream()
          .sorted((one, other) -> one.getKey().toString().compareTo(other.getKey().toString()))
          .map(entry -> entry.getKey() + "=" + text(entry.getValue()))
          .collect(Collectors.joining(", ", "{", "}"));
    }
    if (value instanceof List<?> list) {
      return list.stream().map(Report::text).collect(Collectors.joining("; ", "[", "]"));
    }
    return value.getClass().getSimpleName() + " " + value;
  }

  interface Attempt {
    void run() throws Exception;
  }
}
