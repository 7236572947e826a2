package io.encbench.jdbc;

/** Says for messages where a value was found. */
interface Place {
  /**
   * Its name.
   *
   * @param number of the column or the parameter
   */
  String text(int number);
}
