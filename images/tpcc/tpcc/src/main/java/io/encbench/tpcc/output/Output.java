package io.encbench.tpcc.output;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.LocalTime;
import java.time.format.DateTimeFormatter;

/**
 * The lines of the output, each written and flushed as one.
 *
 * <p>Others follow the output while it grows and take the time at which a line appears as the
 * moment that it reports, so nothing is held back.
 */
public final class Output {
  private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss,SSS");

  private final OutputStream stream;

  public Output(OutputStream stream) {
    this.stream = stream;
  }

  /** The process's own output. */
  public static Output standard() {
    return new Output(new FileOutputStream(FileDescriptor.out));
  }

  /** A line as BenchmarkSQL 5 logs it. */
  public void line(String message) {
    logged("INFO ", message);
  }

  /** The same for what goes wrong. */
  public void error(String message) {
    logged("ERROR", message);
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
