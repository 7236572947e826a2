package io.encbench.tpcc.load;

import io.encbench.tpcc.database.Database;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Some connections that share out a list of jobs. */
final class Workers {
  /** Something that one connection does; {@code worker} is the number that it has in the log. */
  interface Job {
    void run(Connection connection, int worker) throws Exception;
  }

  private final Database database;
  private final int count;

  Workers(Database database, int count) {
    this.database = database;
    this.count = count;
  }

  /** Does all jobs. A failure is thrown when those under way have ended; no more begin. */
  void run(Collection<Job> jobs) throws Exception {
    Queue<Job> waiting = new ConcurrentLinkedQueue<>(jobs);
    ExecutorService threads = Executors.newFixedThreadPool(count);
    try {
      List<Callable<Void>> workers = new ArrayList<>();
      for (int worker = 0; worker < Math.min(count, jobs.size()); worker++) {
        int number = worker;
        workers.add(
            () -> {
              work(waiting, number);
              return null;
            });
      }
      // All have ended when this returns, also those that failed.
      for (Future<Void> end : threads.invokeAll(workers)) {
        end.get();
      }
    } catch (ExecutionException error) {
      throw error.getCause() instanceof Exception cause ? cause : error;
    } finally {
      threads.shutdown();
    }
  }

  private void work(Queue<Job> waiting, int number) throws Exception {
    try (Connection connection = database.openForLoad()) {
      for (Job job = waiting.poll(); job != null; job = waiting.poll()) {
        job.run(connection, number);
        connection.commit();
      }
    } catch (Exception error) {
      waiting.clear();
      throw error;
    }
  }
}
