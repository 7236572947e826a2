package io.encbench.tpcc.database;

import io.encbench.tpcc.settings.InvalidInput;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * What must be masked wherever a driver or a server says it: the password, a secret URL and what
 * stands in it, and the key of such a URL by itself, because it may stand anywhere.
 */
final class Secrets {
  /**
   * The file of the key. A variable and no property, because an earlier client refuses a property
   * that it does not know.
   */
  static final String KEY_FILE = "ENCBENCH_MEK_FILE";

  /** Shorter values than this would be found all over a sentence, and are no keys. */
  private static final int SHORTEST = 6;

  private Secrets() {}

  /**
   * The secrets that a run has.
   *
   * @param password null for a user without a password
   */
  static List<String> of(Url url, String password, Map<String, String> environment)
      throws InvalidInput {
    List<String> secrets = new ArrayList<>(url.secrets());
    if (password != null) {
      secrets.add(password);
    }
    String keyFile = environment.get(KEY_FILE);
    if (keyFile != null && url.isSecret()) {
      // In the URL it is one line.
      secrets.add(SecretFile.read(KEY_FILE, Path.of(keyFile)).replaceAll("[\\r\\n]", ""));
    }
    secrets.removeIf(secret -> secret.length() < SHORTEST);
    return secrets;
  }
}
