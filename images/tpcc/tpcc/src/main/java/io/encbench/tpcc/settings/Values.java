package io.encbench.tpcc.settings;

import java.util.HashMap;
import java.util.Map;

/**
 * The text of properties as numbers and flags. An empty text is one that is not there.
 *
 * <p>Blanks around a value mean nothing, and editors leave them there. A user's name may have some.
 */
final class Values {
  private final Map<String, String> properties;

  Values(Map<String, String> given) {
    properties = new HashMap<>(given);
    properties.replaceAll((name, text) -> name.equals(Name.USER.text) ? text : text.strip());
  }

  boolean has(Name name) {
    String text = properties.get(name.text);
    return text != null && !text.isEmpty();
  }

  String textOr(Name name, String otherwise) {
    return has(name) ? properties.get(name.text) : otherwise;
  }

  String text(Name name) throws InvalidInput {
    if (!has(name)) {
      throw new InvalidInput("the property " + name + " is missing");
    }
    return properties.get(name.text);
  }

  boolean flag(Name name, boolean otherwise) throws InvalidInput {
    String text = textOr(name, String.valueOf(otherwise));
    if (!text.equals("true") && !text.equals("false")) {
      throw new InvalidInput(name + " is " + quoted(text) + ": write true or false");
    }
    return text.equals("true");
  }

  /** A whole number of at least so much; without a default it must be there. */
  int integer(Name name, Integer otherwise, int least) throws InvalidInput {
    long value = number(name, otherwise == null ? null : otherwise.longValue(), least);
    if (value > Integer.MAX_VALUE) {
      throw new InvalidInput(name + " is " + value + ": at most " + Integer.MAX_VALUE);
    }
    return (int) value;
  }

  long number(Name name, Long otherwise, long least) throws InvalidInput {
    String text = otherwise == null ? text(name) : textOr(name, otherwise.toString());
    try {
      long value = Long.parseLong(text);
      if (value >= least) {
        return value;
      }
    } catch (NumberFormatException ignored) {
      // The sentence is the same.
    }
    String from = least == Long.MIN_VALUE ? "" : " of " + least + " or more";
    throw new InvalidInput(name + " is " + quoted(text) + ": write a whole number" + from);
  }

  double decimal(Name name, double otherwise) throws InvalidInput {
    String text = textOr(name, String.valueOf(otherwise));
    try {
      double value = Double.parseDouble(text);
      if (Double.isFinite(value)) {
        return value;
      }
    } catch (NumberFormatException ignored) {
      // The sentence is the same.
    }
    throw new InvalidInput(name + " is " + quoted(text) + ": write a number");
  }

  private static String quoted(String text) {
    return "'" + text + "'";
  }
}
