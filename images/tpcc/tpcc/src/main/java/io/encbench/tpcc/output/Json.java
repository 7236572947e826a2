package io.encbench.tpcc.output;

import java.util.Locale;

/** A JSON object that is written key by key. */
public final class Json {
  private final StringBuilder text = new StringBuilder("{");

  private Json() {}

  public static Json object() {
    return new Json();
  }

  public Json put(String key, String value) {
    key(key);
    if (value == null) {
      text.append("null");
    } else {
      quote(value);
    }
    return this;
  }

  public Json put(String key, long value) {
    key(key).append(value);
    return this;
  }

  public Json put(String key, boolean value) {
    key(key).append(value);
    return this;
  }

  /** The number with six digits after the point at most; null for what is not a number. */
  public Json put(String key, double value) {
    key(key);
    if (Double.isFinite(value)) {
      String digits = String.format(Locale.ROOT, "%.6f", value);
      text.append(digits.replaceFirst("\\.?0+$", ""));
    } else {
      text.append("null");
    }
    return this;
  }

  /** Another object, or null. */
  public Json put(String key, Json value) {
    key(key).append(value);
    return this;
  }

  /** Text that is JSON already. */
  public Json putRaw(String key, CharSequence json) {
    key(key).append(json);
    return this;
  }

  @Override
  public String toString() {
    return text + "}";
  }

  private StringBuilder key(String key) {
    if (text.length() > 1) {
      text.append(',');
    }
    quote(key);
    return text.append(':');
  }

  private void quote(String value) {
    text.append('"');
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (c == '"' || c == '\\') {
        text.append('\\').append(c);
      } else if (c < ' ' || Character.isSurrogate(c)) {
        text.append(String.format("\\u%04x", (int) c));
      } else {
        text.append(c);
      }
    }
    text.append('"');
  }
}
