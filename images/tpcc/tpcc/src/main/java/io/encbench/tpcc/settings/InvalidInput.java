package io.encbench.tpcc.settings;

/** The user's input cannot be meant as it is. The message is one sentence for that user. */
public final class InvalidInput extends Exception {
  private static final long serialVersionUID = 1L;

  public InvalidInput(String message) {
    super(message);
  }
}
