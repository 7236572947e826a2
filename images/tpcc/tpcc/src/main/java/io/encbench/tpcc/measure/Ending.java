package io.encbench.tpcc.measure;

/** How a transaction ended. */
public enum Ending {
  COMMITTED,
  /** As its input wanted. */
  ROLLED_BACK,
  /** It was given up. */
  ERROR
}
