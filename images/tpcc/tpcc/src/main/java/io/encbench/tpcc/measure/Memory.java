package io.encbench.tpcc.measure;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** The process's own memory. */
public final class Memory {
  private static final Path STATUS = Path.of("/proc/self/status");
  private static final long MEGABYTE = 1 << 20;

  private Memory() {}

  /** BenchmarkSQL's words for the heap: used, and taken from the system. */
  public static String usage() {
    Runtime runtime = Runtime.getRuntime();
    long total = runtime.totalMemory();
    return String.format(
        "Memory Usage: %dMB / %dMB", (total - runtime.freeMemory()) / MEGABYTE, total / MEGABYTE);
  }

  /** The most that was resident at a time, in bytes; -1 where that is not known. */
  public static long mostResident() {
    try {
      return Files.readAllLines(STATUS, StandardCharsets.US_ASCII).stream()
          .filter(line -> line.startsWith("VmHWM:"))
          .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) << 10)
          .findFirst()
          .orElse(-1);
    } catch (IOException error) {
      return -1;
    }
  }
}
