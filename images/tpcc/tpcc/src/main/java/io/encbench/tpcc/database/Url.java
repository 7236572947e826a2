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
  /** Shorter values than this would be found all over a sentence, and are no keys. */
  private static final int SHORTEST_SECRET = 6;

  static Url of(Access access) throws InvalidInput {
    return access.urlFile() == null
        ? new Url(access.url(), "conn")
        : new Url(SecretFile.read("connFile", access.urlFile()).strip(), "connFile");
  }

  /** What may be said of it. */
  String shown() {
    return isSecret() ? property : property + ": " + text;
  }

  /** What must be masked wherever a driver says it: the URL and what stands in it. */
  List<String> secrets() {
    if (!isSecret()) {
      return List.of();
    }
    List<String> secrets = new ArrayList<>(List.of(text));
    for (String parameter : text.split("[?&;]")) {
      String value = parameter.substring(parameter.indexOf('=') + 1);
      if (parameter.indexOf('=') > 0) {
        secrets.add(value);
        secrets.add(decoded(value));
      }
    }
    secrets.removeIf(secret -> secret.length() < SHORTEST_SECRET);
    return secrets;
  }

  @Override
  public String toString() {
    return shown();
  }

  private boolean isSecret() {
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
