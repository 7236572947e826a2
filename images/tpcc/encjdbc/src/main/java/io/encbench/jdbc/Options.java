package io.encbench.jdbc;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a program asks of the inner driver, by its URL and by properties, as far as it decides what
 * our getters have to answer.
 */
final class Options {
  private record Option(String name, String value) {
    boolean is(String other) {
      return name.equalsIgnoreCase(other);
    }
  }

  private static final Pattern PARAMETER = Pattern.compile("[?&]([^=&]+)=([^&]*)");

  /** Beside a host, in brackets: {@code (host=h,name=value)} or {@code address=(name=value)}. */
  private static final Pattern OF_HOST = Pattern.compile("[(,]([^=(),]+)=([^(),]*)");

  private static final Set<String> ZONES =
      Set.of("connectiontimezone", "servertimezone", "timezone");
  private static final Set<String> NAMES =
      Set.of("useoldaliasmetadatabehavior", "blanktablenamemeta");

  /** Connector/J's names of one property. */
  private static final Set<String> CURRENT =
      Set.of("nulldatabasemeanscurrent", "nullcatalogmeanscurrent");

  /** What getters answer as with the driver's default alone, which this is. */
  private static final Map<Inner, Map<String, String>> DEFAULTS =
      Map.of(
          Inner.MYSQL,
          Map.of(
              "zerodatetimebehavior", "EXCEPTION",
              "yearisdatetype", "TRUE",
              "treatmysqldatetimeastimestamp", "FALSE",
              "transformedbitisboolean", "FALSE",
              "emptystringsconverttozero", "TRUE",
              "jdbccomplianttruncation", "TRUE",
              "padcharswithspace", "FALSE",
              "blobsarestrings", "FALSE",
              "functionsneverreturnblobs", "FALSE"),
          Inner.MARIADB,
          Map.of(
              "yearisdatetype", "TRUE",
              "transformedbitisboolean", "TRUE",
              "oldmodenoprecisiontimestamp", "FALSE"),
          Inner.POSTGRESQL,
          Map.of());

  private final Inner inner;
  private final List<Option> given = new ArrayList<>();

  Options(Inner inner, String url, Properties properties) {
    this.inner = inner;
    add(PARAMETER.matcher(url));
    for (String name : properties.stringPropertyNames()) {
      given.add(new Option(name, properties.getProperty(name)));
    }
    // Last, because for Connector/J they prevail. A list among the parameters is none of them.
    int question = url.indexOf('?');
    add(OF_HOST.matcher(question < 0 ? url : url.substring(0, question)));
  }

  private void add(Matcher found) {
    while (found.find()) {
      given.add(new Option(plain(found.group(1)), plain(found.group(2))));
    }
  }

  /** As the inner driver reads it: only Connector/J strips and decodes. */
  private String plain(String text) {
    if (inner != Inner.MYSQL) {
      return text;
    }
    try {
      return URLDecoder.decode(text.strip(), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException notEncoded) {
      // It refuses that itself.
      return text;
    }
  }

  /** Whether the driver takes {@code TINYINT(1)} for truth values. */
  boolean hasTruths() {
    return given.stream().noneMatch(one -> one.is("tinyInt1isBit") && text(one).equals("FALSE"));
  }

  /** Whether a catalogue of null, in a question about tables, is the connection's; else any. */
  boolean nullMeansCurrent() {
    // Connector/J takes the last.
    return given.stream()
        .filter(one -> CURRENT.contains(one.name.toLowerCase(Locale.ROOT)))
        .reduce((earlier, last) -> last)
        .filter(last -> text(last).equals("TRUE"))
        .isPresent();
  }

  /** Refuses what would have the inner driver read other things than ours. */
  void refuseOthers() throws SQLException {
    if (inner == Inner.POSTGRESQL) {
      return;
    }
    for (Option one : given) {
      String name = one.name.toLowerCase(Locale.ROOT);
      if (ZONES.contains(name) && !text(one).equals("LOCAL")) {
        throw refused(one, "encrypted times are read in the local zone only: write LOCAL");
      }
      if (NAMES.contains(name) && text(one).equals("TRUE")) {
        throw refused(one, "it hides the names to which encrypted values are bound: write false");
      }
      if (inner == Inner.MYSQL && name.equals("databaseterm") && !text(one).equals("CATALOG")) {
        throw refused(one, "metadata names databases as catalogues only: write CATALOG");
      }
      String only = DEFAULTS.get(inner).getOrDefault(name, text(one));
      if (!text(one).equals(only)) {
        throw refused(one, "encrypted values are read as with " + only + " only: write " + only);
      }
    }
  }

  private static String text(Option one) {
    String text = one.value.toUpperCase(Locale.ROOT);
    return switch (text) {
      case "YES", "1" -> "TRUE";
      case "NO", "0" -> "FALSE";
      default -> text;
    };
  }

  private static SQLException refused(Option one, String why) {
    return new SQLNonTransientConnectionException(
        one.name + " is " + one.value + ", but " + why + " or leave it out", "08001");
  }
}
