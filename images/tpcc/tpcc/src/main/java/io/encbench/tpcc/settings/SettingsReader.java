package io.encbench.tpcc.settings;

import io.encbench.tpcc.database.Access;
import io.encbench.tpcc.database.Dialect;
import io.encbench.tpcc.transaction.Type;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;

/** Properties as settings; the first that cannot be meant is refused. */
public final class SettingsReader {
  private static final Map<Type, Double> USUAL_MIX =
      Map.of(
          Type.NEW_ORDER, 45.0,
          Type.PAYMENT, 43.0,
          Type.ORDER_STATUS, 4.0,
          Type.DELIVERY, 4.0,
          Type.STOCK_LEVEL, 4.0);

  private final Values values;

  private SettingsReader(Values values) {
    this.values = values;
  }

  /**
   * The settings that these properties make.
   *
   * @param run whether what only a run needs must be there
   */
  public static Settings read(Map<String, String> properties, boolean run) throws InvalidInput {
    for (String name : properties.keySet()) {
      if (Name.of(name).isEmpty()) {
        throw new InvalidInput(Advice.about(name));
      }
    }
    return new SettingsReader(new Values(properties)).settings(run);
  }

  private Settings settings(boolean run) throws InvalidInput {
    Access access = access();
    int warehouses = values.integer(Name.WAREHOUSES, null, 1);
    int loadWorkers = values.integer(Name.LOAD_WORKERS, 4, 1);
    Mix mix = mix();
    boolean foreignKeys = values.flag(Name.FOREIGN_KEYS, true);
    int limit = values.integer(Name.LIMIT_TXNS_PER_MIN, 0, 0);
    long seed = values.number(Name.SEED, 1L, Long.MIN_VALUE);
    int deadline = values.integer(Name.DEADLINE_SECONDS, 30, 1);
    return new Settings(
        access,
        warehouses,
        loadWorkers,
        foreignKeys,
        run ? terminals(warehouses) : null,
        run ? length() : null,
        mix,
        Statements.of(values.textOr(Name.STATEMENTS, Statements.LEAN.text())),
        limit,
        seed,
        deadline,
        values.flag(Name.PROBE_COLUMNS, false),
        echo());
  }

  private Access access() throws InvalidInput {
    Dialect dialect = Dialect.of(values.text(Name.DB));
    Path urlFile = path(Name.CONN_FILE);
    if (urlFile != null && values.has(Name.CONN)) {
      throw new InvalidInput(
          "conn and connFile are both there: keep connFile if the URL holds a secret, else conn");
    }
    return new Access(
        dialect,
        values.text(Name.DRIVER),
        urlFile == null ? values.text(Name.CONN) : null,
        urlFile,
        values.text(Name.USER),
        path(Name.PASSWORD_FILE),
        path(Name.MEK_FILE),
        values.flag(Name.PLAIN_STATEMENTS, false));
  }

  private Path path(Name name) {
    String file = values.textOr(name, null);
    return file == null ? null : Path.of(file);
  }

  private Terminals terminals(int warehouses) throws InvalidInput {
    int count = values.integer(Name.TERMINALS, null, 1);
    int offset = values.integer(Name.TERMINAL_OFFSET, 0, 0);
    Terminals terminals =
        new Terminals(
            count,
            offset,
            values.integer(Name.TERMINALS_TOTAL, offset + count, 1),
            values.flag(Name.TERMINAL_WAREHOUSE_FIXED, false));
    terminals.check(warehouses);
    return terminals;
  }

  private Length length() throws InvalidInput {
    int minutes = values.integer(Name.RUN_MINS, 0, 0);
    int seconds = values.integer(Name.RUN_SECONDS, 0, 0);
    int transactions = values.integer(Name.RUN_TXNS_PER_TERMINAL, 0, 0);
    int given = (minutes > 0 ? 1 : 0) + (seconds > 0 ? 1 : 0) + (transactions > 0 ? 1 : 0);
    if (given == 0) {
      throw new InvalidInput(
          "nothing says how long to run: set runMins, runSeconds or runTxnsPerTerminal");
    }
    if (given > 1) {
      throw new InvalidInput(
          String.format(
              "runMins is %d, runSeconds %d and runTxnsPerTerminal %d: set one of them and leave the"
                  + " others out or at 0",
              minutes, seconds, transactions));
    }
    if (minutes > Integer.MAX_VALUE / 60) {
      throw new InvalidInput("runMins is " + minutes + ", which is thousands of years");
    }
    return new Length(
        values.integer(Name.WARMUP_SECONDS, 0, 0),
        minutes > 0 ? 60 * minutes : seconds,
        transactions);
  }

  /** The usual mix unless the properties say otherwise; what they leave out then is 0. */
  private Mix mix() throws InvalidInput {
    Map<Type, Double> weights = new EnumMap<>(Type.class);
    boolean given = false;
    for (Type type : Type.values()) {
      Name name = Name.of(type.weightName()).orElseThrow();
      given |= values.has(name);
      weights.put(type, values.decimal(name, 0));
    }
    Mix mix = new Mix(given ? weights : USUAL_MIX);
    mix.check();
    return mix;
  }

  private Map<String, String> echo() {
    Map<String, String> echo = new LinkedHashMap<>();
    for (Name name : Name.values()) {
      if (values.has(name)) {
        echo.put(name.text, values.textOr(name, ""));
      }
    }
    return echo;
  }
}
