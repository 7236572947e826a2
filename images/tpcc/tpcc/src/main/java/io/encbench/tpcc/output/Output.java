package io.encbench.tpcc.output;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.LocalTime;
import java.time.format.DateTimeFormatter;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/**
 * The lines of the output, each written and flushed as one.
 *
 * <p>Others follow the output while it grows and take the time at which a line appears as the
 * moment that it reports, so nothing is held back.
 *
 * <p>What a driver or a server says may repeat a secret, such as the key in a URL, and is masked.
 * Our own lines are not: a parameter's value may also be a cipher's name or a number in them, and
 * programs read those.
 */
public final class Output {
  private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss,SSS");
  private static final String HIDDEN = "***";

  private final OutputStream stream;
  private final PrintStream failures;

  /** The longest first: one may be a part of another. */
  private volatile List<String> secrets = List.of();

  /** One whose failures go to the process's standard error. */
  public Output(OutputStream stream) {
    this(stream, System.err);
  }

  public Output(OutputStream stream, PrintStream failures) {
    this.stream = stream;
    this.failures = failures;
  }

  /** The process's own output. */
  public static Output standard() {
    return new Output(new FileOutputStream(FileDescriptor.out));
  }

  /** Masks these from now on. */
  public void hide(Collection<String> found) {
    secrets = found.stream().sorted(Comparator.comparingInt(String::length).reversed()).toList();
  }

  /** What others have said, without what is hidden; null stays null. */
  public String masked(String said) {
    if (said == null) {
      return null;
    }
    String left = said;
    for (String secret : secrets) {
      left = left.replace(secret, HIDDEN);
    }
    return left;
  }

  /** A line as BenchmarkSQL 5 logs it. */
  public void line(String message) {
    logged("INFO ", message);
  }

  /** The same for what goes wrong. */
  public void error(String message) {
    logged("ERROR", masked(message));
  }

  /** Why the command has failed. */
  public void failed(String why) {
    failures.println("tpcc: " + masked(why));
  }

  /** A line without any prefix. */
  public synchronized void plain(String line) {
    try {
      stream.write((line + "\n").getBytes(StandardCharsets.UTF_8));
      stream.flush();
    } catch (IOException lost) {
      // No reader is left; what counts then is the exit code.
    }
  }

  /** A line of ours for programs. */
  public void event(Json event) {
    plain("encbench-tpcc " + event);
  }

  private void logged(String level, String message) {
    plain(
        String.format(
            "%s [%s] %s  jTPCC : Term-00, %s",
            LocalTime.now().format(TIME), Thread.currentThread().getName(), level, message));
  }
}
