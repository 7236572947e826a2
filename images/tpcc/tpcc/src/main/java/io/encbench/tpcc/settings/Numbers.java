package io.encbench.tpcc.settings;

import java.math.BigDecimal;
import java.math.RoundingMode;

/** Numbers for people. */
final class Numbers {
  private Numbers() {}

  /** The number with no more digits than it needs, at most six of them after the point. */
  static String plain(double value) {
    return BigDecimal.valueOf(value)
        .setScale(6, RoundingMode.HALF_UP)
        .stripTrailingZeros()
        .toPlainString();
  }
}
