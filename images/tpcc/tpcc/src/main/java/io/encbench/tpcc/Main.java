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
    int code;
    AtomicBoolean ending = new AtomicBoolean();
    CountDownLatch done = new CountDownLatch(1);
    try {
      code = execute(CommandLine.parse(words), ending, done);
    } catch (InvalidInput refused) {
      System.err.println("tpcc: " + refused.getMessage());
      code = REFUSED;
    } catch (Exception failed) {
      System.err.println("tpcc: " + Reason.of(failed));
      code = FAILED;
    } finally {
      done.countDown();
    }
    // A virtual machine that a signal is ending has its exit code already.
    if (!ending.get()) {
      System.exit(code);
    }
  }

  private static int execute(CommandLine line, AtomicBoolean ending, CountDownLatch done)
      throws Exception {
    if (line.help()) {
      System.out.println(line.helpText());
      return 0;
    }
    Settings settings =
        SettingsReader.read(
            PropertiesFile.read(line.properties(), line.overrides()),
            line.command() == Command.RUN);
    Database database = Database.of(settings.access());
    Output output = Output.standard();
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
          System.err.println("tpcc: " + failure);
          return FAILED;
        }
      }
    }
    return 0;
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
