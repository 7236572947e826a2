package io.encbench.tpcc.settings;

import io.encbench.tpcc.transaction.Type;
import java.util.EnumMap;
import java.util.Map;
import java.util.stream.Collectors;

/** How many of a hundred transactions are of each type. */
public record Mix(Map<Type, Double> weights) {
  private static final double TOLERANCE = 1e-6;

  public Mix {
    weights = new EnumMap<>(weights);
  }

  /** The type for a number drawn evenly from [0, 100). */
  public Type pick(double drawn) {
    double upTo = 0;
    for (Type type : Type.values()) {
      upTo += weights.get(type);
      if (drawn < upTo) {
        return type;
      }
    }
    // Weights such as 33.3 may add up to a hair less than 100.
    return Type.NEW_ORDER;
  }

  /** Refuses weights that are not shares of a hundred. */
  void check() throws InvalidInput {
    double sum = 0;
    for (double weight : weights.values()) {
      if (!(weight >= 0)) {
        throw new InvalidInput("a weight is negative (" + text() + "): write shares of 100");
      }
      sum += weight;
    }
    if (Math.abs(sum - 100) > TOLERANCE) {
      throw new InvalidInput(
          "the weights add up to "
              + Numbers.plain(sum)
              + ", not to 100 ("
              + text()
              + "): the usual ones are 45, 43, 4, 4 and 4");
    }
  }

  private String text() {
    return weights.entrySet().stream()
        .map(entry -> entry.getKey().weightName() + " " + Numbers.plain(entry.getValue()))
        .collect(Collectors.joining(", "));
  }
}
