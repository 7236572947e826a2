package io.encbench.tpcc.load;

/** Decimal fractions as text. */
final class Decimals {
  private Decimals() {}

  static void append(StringBuilder to, long unscaled, int scale) {
    if (unscaled < 0) {
      to.append('-');
    }
    String digits = Long.toString(Math.abs(unscaled));
    int whole = digits.length() - scale;
    if (whole <= 0) {
      to.append("0.").append("0".repeat(-whole)).append(digits);
    } else {
      to.append(digits, 0, whole).append('.').append(digits, whole, digits.length());
    }
  }
}
