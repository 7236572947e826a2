package io.encbench.tpcc;

import io.encbench.tpcc.check.Check;
import io.encbench.tpcc.cli.Command;
import io.encbench.tpcc.cli.CommandLine;
import io.encbench.tpcc.database.Database;
import io.encbench.tpcc.load.Loader;
import io.encbench.tpcc.output.Output;
import io.encbench.tpcc.output.Reason;
import io.encbench.tpcc.run.Run;
import io.encbench.tpcc.settings.InvalidInput;
import io.encbench.tpcc.settings.PropertiesFile;
import io.encbench.tpcc.settings.Settings;
import io.encbench.tpcc.settings.SettingsReader;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** The command {@code tpcc}. */
public final class Main {
  private static final int FAILED = 1;
  private static final int REFUSED = 2;

  private Main() {}

  /** Does what the words say and ends with the exit code that {@code docs/tpcc.md} gives. */
  public static void main(String[] words) {
    Output output = Output.standard();
    // Java itself would print what a driver said as it is.
    Thread.setDefaultUncaughtExceptionHandler((thread, bug) -> output.failed(trace(bug)));
    AtomicBoolean ending = new AtomicBoolean();
    int code = code(words, output, ending);
    // A virtual machine that a signal is ending has its exit code already.
    if (!ending.get()) {
      System.exit(code);
    }
  }

  /**
   * Does what the words say.
   *
   * @param ending set when a signal has ended it
   */
  static int code(String[] words, Output output, AtomicBoolean ending) {
    CountDownLatch done = new CountDownLatch(1);
    try {
      return execute(CommandLine.parse(words), output, ending, done);
    } catch (InvalidInput refused) {
      output.failed(refused.getMessage());
      return REFUSED;
    } catch (Exception failed) {
      output.failed(Reason.of(failed));
      return FAILED;
    } finally {
      done.countDown();
    }
  }

  private static int execute(
      CommandLine line, Output output, AtomicBoolean ending, CountDownLatch done) throws Exception {
    if (line.help()) {
      System.out.println(line.helpText());
      return 0;
    }
    Settings settings =
        SettingsReader.read(
            PropertiesFile.read(line.properties(), line.overrides()),
            line.command() == Command.RUN);
    Database database = Database.of(settings.access(), output);
    switch (line.command()) {
      case LOAD -> new Loader(settings, database, output).load();
      case DROP -> Loader.drop(database);
      case CHECK, CHECK_ALL -> {
        boolean all = line.command() == Command.CHECK_ALL;
        return new Check(database, all, output).run() == 0 ? 0 : FAILED;
      }
      case RUN -> {
        Run run = new Run(settings, database, output);
        onSignal(run, settings.deadlineSeconds(), ending, done);
        String failure = run.execute();
        if (failure != null) {
          output.failed(failure);
          return FAILED;
        }
      }
    }
    return 0;
  }

  private static String trace(Throwable bug) {
    StringWriter trace = new StringWriter();
    bug.printStackTrace(new PrintWriter(trace));
    return trace.toString();
  }

  /** Lets a run that a signal ends finish its transactions and report. */
  private static void onSignal(
      Run run, int deadlineSeconds, AtomicBoolean ending, CountDownLatch done) {
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  if (done.getCount() == 0) {
                    return;
                  }
                  ending.set(true);
                  run.end("a signal has ended the run");
                  try {
                    done.await(2L * deadlineSeconds, TimeUnit.SECONDS);
                  } catch (InterruptedException interrupted) {
                    Thread.currentThread().interrupt();
                  }
                }));
  }
}
