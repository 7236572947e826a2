package io.encbench.tpcc.run;

import io.encbench.tpcc.database.Database;
import io.encbench.tpcc.database.Session;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** The sessions of all terminals, which are opened before anything is measured. */
final class Sessions {
  private static final int AT_A_TIME = 16;

  private Sessions() {}

  /** So many sessions; if one cannot be opened none is kept. */
  static List<Session> open(Database database, int count) throws SQLException {
    ExecutorService connectors = Executors.newFixedThreadPool(Math.min(count, AT_A_TIME));
    List<Future<Session>> opening = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      opening.add(connectors.submit(database::session));
    }
    connectors.shutdown();
    List<Session> sessions = new ArrayList<>();
    SQLException failure = null;
    for (Future<Session> session : opening) {
      try {
        if (failure == null) {
          sessions.add(session.get());
        } else if (!session.cancel(false)) {
          session.get().close();
        }
      } catch (ExecutionException error) {
        failure = asSql(error.getCause());
      } catch (InterruptedException error) {
        failure = asSql(error);
      }
    }
    if (failure != null) {
      sessions.forEach(Session::close);
      throw failure;
    }
    return sessions;
  }

  private static SQLException asSql(Throwable cause) {
    return cause instanceof SQLException error ? error : new SQLException(cause);
  }
}
