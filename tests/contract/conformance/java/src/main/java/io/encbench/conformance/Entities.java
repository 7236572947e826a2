package io.encbench.conformance;

import jakarta.persistence.ParameterMode;
import jakarta.persistence.StoredProcedureQuery;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.LocalDate;
import java.util.List;
import java.util.function.Function;
import javax.sql.DataSource;
import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.hibernate.boot.registry.StandardServiceRegistryBuilder;
import org.hibernate.cfg.Configuration;
import org.hibernate.dialect.MariaDBDialect;
import org.hibernate.dialect.MySQLDialect;

/** Hibernate, which checks the tables against the entities before it begins. */
final class Entities implements Library {
  @Override
  public void run(DataSource source, Path folder, Report report) throws SQLException {
    Configuration configuration =
        new Configuration().addAnnotatedClass(Customer.class).addAnnotatedClass(Account.class);
    configuration.setProperty("hibernate.hbm2ddl.auto", "validate");
    configuration.setProperty("hibernate.jdbc.batch_size", "10");
    configuration.setProperty("hibernate.dialect", dialect(source).getName());
    configuration.getProperties().put("hibernate.connection.datasource", source);
    StandardServiceRegistryBuilder services =
        new StandardServiceRegistryBuilder().applySettings(configuration.getProperties());
    try (SessionFactory factory = configuration.buildSessionFactory(services.build())) {
      report.say("all", within(factory, this::everything));
      Integer key = within(factory, this::added);
      report.say("key", key);
      report.say("found", within(factory, session -> session.find(Customer.class, key).toString()));
      within(factory, session -> changed(session, key));
      report.say(
          "changed", within(factory, session -> session.find(Customer.class, key).toString()));
      report.say("grouped", within(factory, this::grouped));
      report.say("native", within(factory, this::natively));
      report.say("called", within(factory, this::called));
      report.refused("twice", () -> within(factory, this::twice));
    }
  }

  /** Connector/J calls every server MySQL. */
  private static Class<?> dialect(DataSource source) throws SQLException {
    try (Connection connection = source.getConnection()) {
      String version = connection.getMetaData().getDatabaseProductVersion();
      return version.contains("MariaDB") ? MariaDBDialect.class : MySQLDialect.class;
    }
  }

  private static <T> T within(SessionFactory factory, Function<Session, T> work) {
    return factory.fromTransaction(work);
  }

  private List<String> everything(Session session) {
    return session
        .createSelectionQuery("from Account order by id", Account.class)
        .getResultStream()
        .map(account -> account + " of " + account.customer)
        .toList();
  }

  private Integer added(Session session) {
    Customer customer = new Customer();
    customer.setName("Hibernate Marker7Q ☃");
    customer.setBorn(LocalDate.of(2000, 2, 29));
    customer.setActive(true);
    session.persist(customer);
    return customer.getId();
  }

  private Void changed(Session session, Integer key) {
    Customer customer = session.find(Customer.class, key);
    customer.setRemark("long ".repeat(1000));
    customer.setActive(false);
    return null;
  }

  private List<String> grouped(Session session) {
    return session
        .createSelectionQuery(
            "select a.kind, count(a), sum(a.balance), max(a.opened) from Account a"
                + " where a.customer.name like :name group by a.kind order by 1",
            Object[].class)
        .setParameter("name", "%Marker7Q%")
        .getResultStream()
        .map(row -> Report.text(List.of(row)))
        .toList();
  }

  private List<String> natively(Session session) {
    return session
        .createNativeQuery("SELECT * FROM holdings ORDER BY account_id", Object[].class)
        .getResultStream()
        .map(row -> Report.text(List.of(row)))
        .toList();
  }

  private String called(Session session) {
    StoredProcedureQuery query =
        session
            .createStoredProcedureQuery("transfer")
            .registerStoredProcedureParameter(1, Integer.class, ParameterMode.IN)
            .registerStoredProcedureParameter(2, Integer.class, ParameterMode.IN)
            .registerStoredProcedureParameter(3, BigDecimal.class, ParameterMode.IN)
            .registerStoredProcedureParameter(4, String.class, ParameterMode.IN)
            .registerStoredProcedureParameter(5, BigDecimal.class, ParameterMode.OUT)
            .registerStoredProcedureParameter(6, String.class, ParameterMode.OUT)
            .setParameter(1, 10)
            .setParameter(2, 13)
            .setParameter(3, new BigDecimal("3.75"))
            .setParameter(4, "Marker7Q hibernate");
    query.execute();
    StringBuilder said = new StringBuilder();
    for (Object row : query.getResultList()) {
      said.append(Report.text(List.of((Object[]) row))).append(' ');
    }
    return said
        + Report.text(query.getOutputParameterValue(5))
        + " "
        + Report.text(query.getOutputParameterValue(6));
  }

  private Void twice(Session session) {
    Customer customer = new Customer();
    customer.setName("Twice Marker7Q");
    customer.setEmail("ada@Marker7Q.example");
    session.persist(customer);
    return null;
  }
}
