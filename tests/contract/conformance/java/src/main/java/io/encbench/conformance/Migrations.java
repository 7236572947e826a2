package io.encbench.conformance;

import java.nio.file.Path;
import java.util.Arrays;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.MigrationInfo;
import org.springframework.jdbc.core.JdbcTemplate;

/** Flyway, which makes the schema, finds it again, and sees that nothing is left to do. */
final class Migrations implements Library {
  @Override
  public void run(DataSource source, Path folder, Report report) {
    for (int turn = 0; turn < 2; turn++) {
      Flyway flyway =
          Flyway.configure().dataSource(source).locations("filesystem:" + folder).load();
      report.say("pending", flyway.info().pending().length);
      report.say("migrated", flyway.migrate().migrationsExecuted);
      flyway.validate();
      for (MigrationInfo one : flyway.info().all()) {
        report.say(one.getVersion().getVersion(), one.getDescription() + " " + one.getState());
      }
    }
    JdbcTemplate template = new JdbcTemplate(source);
    report.say("rows", template.queryForList("SELECT id, name FROM customers ORDER BY id"));
    report.say(
        "history",
        Arrays.asList(
            template
                .queryForList("SELECT version, checksum, success FROM flyway_schema_history")
                .toArray()));
  }
}
