package io.encbench.tpcc.random;

import java.util.SplittableRandom;

/** Random choices that are the same for the same seed and stream. Only one thread may use it. */
public final class Chance {
  private static final long GOLDEN = 0x9E3779B97F4A7C15L;

  private final SplittableRandom random;

  private Chance(long seed) {
    random = new SplittableRandom(seed);
  }

  /** The stream of that name; streams of different names have nothing to do with each other. */
  public static Chance stream(long seed, String name, long... numbers) {
    long mixed = mix(seed) + name.hashCode();
    for (long number : numbers) {
      mixed = mix(mixed + GOLDEN) + number;
    }
    return new Chance(mix(mixed));
  }

  /** A number from {@code low} to {@code high}, both included, each as likely. */
  public int between(int low, int high) {
    return random.nextInt(low, high + 1);
  }

  /** True in so many of a hundred cases. */
  public boolean percent(int share) {
    return random.nextInt(100) < share;
  }

  /** A number from [0, 100). */
  public double hundred() {
    return random.nextDouble() * 100;
  }

  /** 64 even bits. */
  long bits() {
    return random.nextLong();
  }

  /** The numbers from 1 to {@code count} in random order. */
  public int[] permutation(int count) {
    int[] numbers = new int[count];
    for (int i = 0; i < count; i++) {
      int j = random.nextInt(i + 1);
      numbers[i] = numbers[j];
      numbers[j] = i + 1;
    }
    return numbers;
  }

  /** The finaliser of SplitMix64: every bit depends on every bit. */
  private static long mix(long value) {
    long mixed = (value ^ (value >>> 30)) * 0xBF58476D1CE4E5B9L;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
    return mixed ^ (mixed >>> 31);
  }
}
