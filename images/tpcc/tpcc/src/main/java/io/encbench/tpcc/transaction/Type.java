package io.encbench.tpcc.transaction;

/** The five business transactions, in the order of the specification's clauses 2.4 to 2.8. */
public enum Type {
  NEW_ORDER("newOrder"),
  PAYMENT("payment"),
  ORDER_STATUS("orderStatus"),
  DELIVERY("delivery"),
  STOCK_LEVEL("stockLevel");

  private final String text;

  Type(String text) {
    this.text = text;
  }

  /** The name in properties and in our output. */
  public String text() {
    return text;
  }

  /** The property that says how often it occurs. */
  public String weightName() {
    return text + "Weight";
  }
}
