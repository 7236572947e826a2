package io.encbench.tpcc.measure;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.time.Instant;

/**
 * One moment by three clocks, in seconds.
 *
 * @param unix the wall clock's
 * @param monotonic only differences mean something
 * @param cpu what the process has used so far; NaN where that is not known
 */
public record Moment(double unix, double monotonic, double cpu) {
  private static final OperatingSystemMXBean SYSTEM =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

  /** This moment. */
  public static Moment now() {
    long monotonic = System.nanoTime();
    Instant wall = Instant.now();
    long cpu = SYSTEM.getProcessCpuTime();
    return new Moment(
        wall.getEpochSecond() + wall.getNano() / 1e9,
        monotonic / 1e9,
        cpu < 0 ? Double.NaN : cpu / 1e9);
  }
}
