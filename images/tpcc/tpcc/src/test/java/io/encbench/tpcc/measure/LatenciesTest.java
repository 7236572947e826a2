package io.encbench.tpcc.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class LatenciesTest {
  private static Latencies of(LongStream micros) {
    Latencies latencies = new Latencies();
    micros.forEach(latencies::add);
    return latencies;
  }

  /** What a reader of our output would make of the buckets. */
  private static Map<Long, Long> read(CharSequence buckets) {
    Matcher pairs = Pattern.compile("\\[(\\d+),(\\d+)]").matcher(buckets);
    Map<Long, Long> counts = new TreeMap<>();
    for (MatchResult pair : (Iterable<MatchResult>) pairs.results()::iterator) {
      counts.put(Long.valueOf(pair.group(1)), Long.valueOf(pair.group(2)));
    }
    return counts;
  }

  @Test
  void percentilesAreWithinABucket() {
    Latencies latencies = of(LongStream.rangeClosed(1, 100_000));
    assertEquals(50, latencies.percentile(50), 0.4);
    assertEquals(95, latencies.percentile(95), 0.4);
    assertEquals(100, latencies.most(), 0.4);
    assertEquals(0.001, latencies.least());
    assertEquals(50, latencies.average(), 0.1);
  }

  @Test
  void mergedBucketsAreThoseOfAllTogether() {
    Map<Long, Long> merged = read(of(LongStream.range(1, 5000)).buckets());
    read(of(LongStream.range(3000, 90_000)).buckets())
        .forEach((middle, count) -> merged.merge(middle, count, Long::sum));
    Latencies both =
        of(LongStream.concat(LongStream.range(1, 5000), LongStream.range(3000, 90_000)));
    assertEquals(read(both.buckets()), merged);
    assertEquals(both.count(), merged.values().stream().mapToLong(Long::longValue).sum());
  }

  @Test
  void aBucketIsNamedByItsMiddle() {
    assertEquals(Map.of(1L, 1L, 1002L, 2L), read(of(LongStream.of(1, 1001, 1003)).buckets()));
  }

  @Test
  void nothingHasNoPercentiles() {
    Latencies nothing = new Latencies();
    assertTrue(Double.isNaN(nothing.percentile(95)) && Double.isNaN(nothing.average()));
    assertEquals("[]", nothing.buckets().toString());
  }

  @Test
  void whatIsOutOfRangeIsAtItsEnd() {
    assertEquals(2, of(LongStream.of(0, Long.MAX_VALUE / 2)).count());
  }
}
