package io.encbench.tpcc.transaction.lean;

import io.encbench.tpcc.database.Rows;
import io.encbench.tpcc.database.Session;
import java.math.BigDecimal;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.LocalDateTime;
import java.util.Arrays;
import java.util.List;

/**
 * Statements of which none needs what another one says.
 *
 * <p>Where that is possible they are sent together, and their results come back together: most of
 * the CPU that a client takes goes into round trips. Elsewhere they are executed one by one.
 */
final class Trip {
  private static final String COMMIT = "COMMIT";

  private final List<String> statements;
  private final int[] parameters;
  private final String joined;

  Trip(String... statements) {
    this(List.of(statements), false);
  }

  private Trip(List<String> statements, boolean commits) {
    this.statements = statements;
    this.parameters =
        statements.stream()
            .mapToInt(sql -> (int) sql.chars().filter(c -> c == '?').count())
            .toArray();
    this.joined = String.join(";\n", statements) + (commits ? ";\n" + COMMIT : "");
  }

  /** The same statements and a commit, where statements can be sent together. */
  static Trip committed(String... statements) {
    return new Trip(List.copyOf(Arrays.asList(statements)), true);
  }

  /** Begins a trip. The values of all statements are given in order, then the results taken. */
  Values on(Session session) throws SQLException {
    PreparedStatement[] prepared;
    if (session.abilities().combine()) {
      prepared = new PreparedStatement[] {session.prepare(joined)};
    } else {
      prepared = new PreparedStatement[statements.size()];
      for (int i = 0; i < prepared.length; i++) {
        prepared[i] = session.prepare(statements.get(i));
      }
    }
    return new Values(session, prepared);
  }

  /** One trip under way. */
  final class Values {
    private final Session session;
    private final PreparedStatement[] prepared;
    private int filling;
    private int place;
    private int executed;

    private Values(Session session, PreparedStatement[] prepared) {
      this.session = session;
      this.prepared = prepared;
    }

    Values numbers(int... values) throws SQLException {
      for (int value : values) {
        next().setInt(place, value);
      }
      return this;
    }

    Values decimal(BigDecimal value) throws SQLException {
      next().setBigDecimal(place, value);
      return this;
    }

    Values text(String value) throws SQLException {
      next().setString(place, value);
      return this;
    }

    Values time(LocalDateTime value) throws SQLException {
      next().setObject(place, value);
      return this;
    }

    /** Arrays, of integers or of texts. */
    Values arrays(Object... values) throws SQLException {
      for (Object value : values) {
        next().setObject(place, value);
      }
      return this;
    }

    /** The rows of the next statement that gives any. */
    Rows rows() throws SQLException {
      while (!execute()) {
        // It was a statement that gives none.
      }
      return session.rows(current().getResultSet());
    }

    /** The next statement's rows at its first one, which must be there. */
    Rows row(String what) throws SQLException {
      return rows().one(what);
    }

    /** The next statement, or the next result of those that went together; whether it has rows. */
    private boolean execute() throws SQLException {
      if (executed == statements.size()) {
        throw new IllegalStateException("more results wanted than there are statements");
      }
      boolean first = executed++ == 0;
      if (prepared.length > 1) {
        return session.execute(current(), 1);
      }
      return first ? session.execute(current(), statements.size()) : current().getMoreResults();
    }

    private PreparedStatement current() {
      return prepared.length == 1 ? prepared[0] : prepared[executed - 1];
    }

    /** The statement that the next value belongs to. */
    private PreparedStatement next() {
      if (prepared.length > 1 && place == parameters[filling]) {
        filling++;
        place = 0;
      }
      place++;
      return prepared[filling];
    }
  }
}
