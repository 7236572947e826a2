package io.encbench.tpcc.database;

import io.encbench.tpcc.settings.InvalidInput;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The JDBC URL. One from a file holds a secret, such as the key of an encrypting driver, and is
 * never printed: neither by us nor in what a driver says when it refuses it.
 *
 * @param property the property that it is from
 */
record Url(String text, String property) {
  /** What parts parameters: those of a query, and those of an address in parentheses. */
  private static final List<String> SEPARATORS = List.of("[?&;]", "[?&;(),]");

  static Url of(Access access) throws InvalidInput {
    return access.urlFile() == null
        ? new Url(access.url(), "conn")
        : new Url(SecretFile.read("connFile", access.urlFile()).strip(), "connFile");
  }

  /** What may be said of it. */
  String shown() {
    return isSecret() ? property : property + ": " + text;
  }

  /** The URL and the values that stand in it, where it is secret. */
  List<String> secrets() {
    if (!isSecret()) {
      return List.of();
    }
    List<String> secrets = new ArrayList<>(List.of(text));
    for (String separator : SEPARATORS) {
      for (String parameter : text.split(separator)) {
        String value = parameter.substring(parameter.indexOf('=') + 1);
        if (parameter.indexOf('=') > 0) {
          secrets.add(value);
          secrets.add(decoded(value));
        }
      }
    }
    return secrets;
  }

  @Override
  public String toString() {
    return shown();
  }

  boolean isSecret() {
    return property.equals("connFile");
  }

  /** As a driver says it, which has decoded it. */
  private static String decoded(String value) {
    try {
      return URLDecoder.decode(value, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException notEncoded) {
      return value;
    }
  }
}
