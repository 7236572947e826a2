package io.encbench.jdbc;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The name in a call, in a form under which Connector/J does not find it in the catalogue.
 *
 * <p>Connector/J asks the catalogue for a routine's parameters before it calls it. Behind a strict
 * proxy it reads ciphertext for the name, and its next question fails. Where it finds no routine it
 * takes the parameters as they are set and registered. It holds all that comes before the
 * parenthesis for the name, ordinary comments aside. A server reads nothing in {@code CALL
 * transfer/*! *}{@code /(?)} but the call, because the comment has no statement to execute.
 */
final class Routine {
  private static final String NAME = "(?:`(?:[^`]|``)+`|[\\w$\\x{80}-\\x{FFFF}]+)";
  private static final Pattern CALL =
      Pattern.compile(
          "(?is)\\s*\\{?\\s*(?:\\?\\s*=\\s*)?call\\s+" + NAME + "(?:\\s*\\.\\s*" + NAME + ")?");

  private Routine() {}

  /** The same call; as it is where its name cannot be read. */
  static String unlisted(String sql) {
    Matcher call = CALL.matcher(sql);
    return call.lookingAt() ? call.group() + "/*! */" + sql.substring(call.end()) : sql;
  }
}
