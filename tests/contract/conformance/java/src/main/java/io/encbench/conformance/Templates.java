package io.encbench.conformance;

import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.springframework.jdbc.core.BeanPropertyRowMapper;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate;
import org.springframework.jdbc.core.simple.SimpleJdbcCall;
import org.springframework.jdbc.core.simple.SimpleJdbcInsert;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Spring's templates. */
final class Templates implements Library {
  @Override
  public void run(DataSource source, Path folder, Report report) {
    JdbcTemplate template = new JdbcTemplate(source);
    reads(template, report);
    writes(template, report);
    transactions(source, template, report);
    catalogue(source, report);
  }

  private void reads(JdbcTemplate template, Report report) {
    report.say("maps", template.queryForList("SELECT * FROM customers ORDER BY id"));
    report.say("accounts", template.queryForList("SELECT * FROM accounts ORDER BY id"));
    report.say("transfers", template.queryForList("SELECT * FROM transfers ORDER BY id"));
    report.say("view", template.queryForList("SELECT * FROM holdings ORDER BY account_id"));
    report.say(
        "sum", template.queryForObject("SELECT SUM(balance) FROM accounts", BigDecimal.class));
    report.say(
        "count",
        template.queryForObject(
            "SELECT COUNT(*) FROM customers WHERE active = ?", Integer.class, true));
    report.say(
        "beans",
        template
            .query(
                "SELECT id, name, email, born, active, remark FROM customers ORDER BY id",
                new BeanPropertyRowMapper<>(Customer.class))
            .stream()
            .map(Customer::toString)
            .toList());
    report.say(
        "named",
        new NamedParameterJdbcTemplate(template)
            .queryForList(
                "SELECT name FROM customers WHERE id IN (:ids) ORDER BY id",
                Map.of("ids", List.of(1, 3)),
                String.class));
  }

  private void writes(JdbcTemplate template, Report report) {
    Number key =
        new SimpleJdbcInsert(template)
            .withTableName("customers")
            .usingColumns("name", "born")
            .withoutTableColumnMetaDataAccess()
            .usingGeneratedKeyColumns("id")
            .executeAndReturnKey(
                Map.of("name", "Spring Marker7Q", "born", LocalDate.of(2000, 2, 29)));
    report.say("key", key.longValue());
    int[] counts =
        template.batchUpdate(
            "UPDATE customers SET remark = ? WHERE id = ?",
            List.of(new Object[] {"first", 1}, new Object[] {null, 2}, new Object[] {"no", 99}));
    report.say("batch", List.of(counts[0], counts[1], counts[2]));
    report.say("changed", template.queryForList("SELECT id, remark FROM customers ORDER BY id"));
    report.refused(
        "twice",
        () -> template.update("INSERT INTO customers (id, name) VALUES (1, 'Twice Marker7Q')"));
  }

  private void transactions(DataSource source, JdbcTemplate template, Report report) {
    TransactionTemplate transaction =
        new TransactionTemplate(new DataSourceTransactionManager(source));
    BigDecimal within =
        transaction.execute(
            status -> {
              template.update("UPDATE accounts SET balance = balance + 1 WHERE id = 10");
              status.setRollbackOnly();
              return template.queryForObject(
                  "SELECT balance FROM accounts WHERE id = 10", BigDecimal.class);
            });
    report.say("within", within);
    report.say(
        "after",
        template.queryForObject("SELECT balance FROM accounts WHERE id = 10", BigDecimal.class));
  }

  /** What asks the driver for the procedure's parameters and the table's columns. */
  private void catalogue(DataSource source, Report report) {
    Map<String, Object> found =
        new SimpleJdbcCall(source)
            .withProcedureName("transfer")
            .returningResultSet("accounts", new BeanPropertyRowMapper<>(Account.class))
            .execute(
                Map.of("source", 11, "target", 13, "amount", "0.5", "purpose", "Marker7Q spring"));
    report.say("remaining", found.get("remaining"));
    report.say("holder", found.get("holder"));
    report.say(
        "columns",
        new SimpleJdbcInsert(source)
            .withTableName("customers")
            .execute(Map.of("id", 77, "name", "Columns Marker7Q", "active", false)));
  }

  /** A row of accounts, as far as the procedure shows it. */
  public static final class Account {
    private int id;
    private String iban;

    public int getId() {
      return id;
    }

    public void setId(int id) {
      this.id = id;
    }

    public String getIban() {
      return iban;
    }

    public void setIban(String iban) {
      this.iban = iban;
    }
  }
}
