package io.encbench.tpcc.measure;

import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

/** How long transactions took. A bucket is at most 0.8 % wide; an hour is the longest. */
public final class Latencies {
  private static final long LONGEST_MICROS = 3_600_000_000L;
  private static final int DIGITS = 2;

  private final Histogram histogram = new Histogram(1, LONGEST_MICROS, DIGITS);

  void add(long micros) {
    histogram.recordValue(Math.max(1, Math.min(micros, LONGEST_MICROS)));
  }

  void add(Latencies other) {
    histogram.add(other.histogram);
  }

  public long count() {
    return histogram.getTotalCount();
  }

  /** The middle of the bucket that holds that percentile, in milliseconds; NaN if there is none. */
  public double percentile(double percent) {
    return count() == 0
        ? Double.NaN
        : milliseconds(histogram.medianEquivalentValue(histogram.getValueAtPercentile(percent)));
  }

  public double average() {
    return count() == 0 ? Double.NaN : milliseconds(histogram.getMean());
  }

  /** The middle of the lowest bucket that is not empty. */
  public double least() {
    return count() == 0
        ? Double.NaN
        : milliseconds(histogram.medianEquivalentValue(histogram.getMinNonZeroValue()));
  }

  /** The middle of the highest bucket that is not empty. */
  public double most() {
    return count() == 0
        ? Double.NaN
        : milliseconds(histogram.medianEquivalentValue(histogram.getMaxValue()));
  }

  /** The buckets that are not empty as JSON: pairs of middle in microseconds and count. */
  public CharSequence buckets() {
    StringBuilder text = new StringBuilder("[");
    for (HistogramIterationValue bucket : histogram.recordedValues()) {
      text.append(text.length() > 1 ? ",[" : "[")
          .append(histogram.medianEquivalentValue(bucket.getValueIteratedTo()))
          .append(',')
          .append(bucket.getCountAtValueIteratedTo())
          .append(']');
    }
    return text.append(']');
  }

  private static double milliseconds(double micros) {
    return micros / 1000;
  }
}
