package io.encbench.jdbc;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The name in a call, in a form under which Connector/J does not look it up.
 *
 * <p>Connector/J asks the catalogue for a routine's parameters before it calls it. Behind a strict
 * proxy it reads ciphertext for the name, and its next question fails. Where it finds no routine it
 * takes the parameters as they are set and registered. It reads a name up to the first blank, and a
 * server allows blanks around the point of a qualified name: in {@code CALL `bank` . `transfer`} it
 * finds a routine called bank, which there is not.
 */
final class Routine {
  private static final String NAME = "(`(?:[^`]|``)+`|[\\w$]+)";
  private static final Pattern CALL =
      Pattern.compile(
          "(?is)(\\s*\\{?\\s*(?:\\?\\s*=\\s*)?call\\s+)" + NAME + "(?:\\s*\\.\\s*" + NAME + ")?");

  private Routine() {}

  /** The call with a qualified name; as it is where it cannot be read or there is no catalogue. */
  static String qualified(String sql, String catalogue) {
    Matcher call = CALL.matcher(sql);
    if (!call.lookingAt()) {
      return sql;
    }
    boolean complete = call.group(3) != null;
    if (!complete && catalogue == null) {
      return sql;
    }
    String first = complete ? call.group(2) : "`" + catalogue.replace("`", "``") + "`";
    String name = complete ? call.group(3) : call.group(2);
    return call.group(1) + first + " . " + name + sql.substring(call.end());
  }
}
