package io.encbench.jdbc;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/**
 * What a URL of ours and its properties ask for.
 *
 * @param url the other driver's, without our parameters
 * @param properties the other driver's, without ours
 * @param mekFile null if neither names one
 * @param stored whether envelopes in the server's own columns are opened
 */
record Target(String url, Properties properties, String mekFile, boolean stored) {
  static final String PREFIX = "jdbc:encbench:";
  static final String MEK_FILE = "encbench.mekFile";
  static final String STORED = "encbench.stored";
  static final String MEK_VARIABLE = "ENCBENCH_MEK_FILE";
  private static final String OURS = "encbench.";

  static boolean isOurs(String url) {
    return url != null && url.startsWith(PREFIX);
  }

  /** Takes apart; properties prevail over parameters, as they are the program's own. */
  static Target of(String url, Properties given) throws SQLException {
    Properties properties = new Properties();
    Properties own = new Properties();
    String rest = url.substring(PREFIX.length());
    int question = rest.indexOf('?');
    if (question >= 0) {
      List<String> kept = new ArrayList<>();
      for (String parameter : rest.substring(question + 1).split("&", -1)) {
        int equals = parameter.indexOf('=');
        String name = equals < 0 ? parameter : parameter.substring(0, equals);
        if (name.startsWith(OURS)) {
          own.setProperty(name, equals < 0 ? "" : decoded(name, parameter.substring(equals + 1)));
        } else {
          kept.add(parameter);
        }
      }
      rest = rest.substring(0, question) + (kept.isEmpty() ? "" : "?" + String.join("&", kept));
    }
    if (given != null) {
      for (String name : given.stringPropertyNames()) {
        if (name.startsWith(OURS)) {
          own.setProperty(name, given.getProperty(name));
        } else {
          properties.setProperty(name, given.getProperty(name));
        }
      }
    }
    return new Target(rest, properties, mekFile(own), stored(own));
  }

  /** The key, from the file that is named here or else in the environment; null without one. */
  Mek mek(Map<String, String> environment) throws SQLException {
    String file = mekFile != null ? mekFile : environment.get(MEK_VARIABLE);
    return file == null || file.isEmpty() ? null : Mek.read(Path.of(file));
  }

  private static String mekFile(Properties own) throws SQLException {
    for (String name : own.stringPropertyNames()) {
      if (!name.equals(MEK_FILE) && !name.equals(STORED)) {
        throw refused("there is no property " + name + ": write " + MEK_FILE + " or " + STORED);
      }
    }
    String file = own.getProperty(MEK_FILE);
    if (file != null && file.isEmpty()) {
      throw refused(
          MEK_FILE + " is empty: write the path of the file with the key, or leave it out");
    }
    return file;
  }

  private static boolean stored(Properties own) throws SQLException {
    String text = own.getProperty(STORED, "false");
    if (!text.equals("true") && !text.equals("false")) {
      throw refused(STORED + " is " + text + ": write true or false");
    }
    return text.equals("true");
  }

  private static String decoded(String name, String text) throws SQLException {
    try {
      return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException error) {
      throw refused(name + " is not well encoded in the URL: write % as %25");
    }
  }

  private static SQLException refused(String why) {
    return new SQLNonTransientConnectionException(why, "28000");
  }
}
