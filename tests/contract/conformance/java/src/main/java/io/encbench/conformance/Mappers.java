package io.encbench.conformance;

import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.apache.ibatis.annotations.Insert;
import org.apache.ibatis.annotations.Options;
import org.apache.ibatis.annotations.Param;
import org.apache.ibatis.annotations.Select;
import org.apache.ibatis.annotations.Update;
import org.apache.ibatis.mapping.Environment;
import org.apache.ibatis.mapping.StatementType;
import org.apache.ibatis.session.Configuration;
import org.apache.ibatis.session.SqlSession;
import org.apache.ibatis.session.SqlSessionFactory;
import org.apache.ibatis.session.SqlSessionFactoryBuilder;
import org.apache.ibatis.transaction.jdbc.JdbcTransactionFactory;

/** MyBatis, which asks each column's type before it reads a row into a map. */
final class Mappers implements Library {
  @Override
  public void run(DataSource source, Path folder, Report report) {
    Configuration configuration =
        new Configuration(new Environment("test", new JdbcTransactionFactory(), source));
    configuration.setCallSettersOnNulls(true);
    configuration.addMapper(Bank.class);
    SqlSessionFactory factory = new SqlSessionFactoryBuilder().build(configuration);
    try (SqlSession session = factory.openSession()) {
      Bank bank = session.getMapper(Bank.class);
      report.say("maps", bank.customers());
      report.say("accounts", bank.accounts());
      report.say("transfers", bank.transfers());
      report.say("nothing", bank.nothing());
      report.say("beans", bank.beans().stream().map(Customer::toString).toList());
      report.say("values", bank.values());
      Customer customer = new Customer();
      customer.setName("MyBatis Marker7Q");
      report.say("added", bank.add(customer));
      report.say("key", customer.getId());
      report.say("renamed", bank.rename(customer.getId(), "Renamed Marker7Q"));
      report.say("again", bank.named(customer.getId()));
      session.rollback();
      report.say("after", bank.named(customer.getId()));
      Map<String, Object> given = new HashMap<>();
      given.put("source", 10);
      given.put("target", 14);
      given.put("amount", new BigDecimal("2.50"));
      given.put("purpose", "Marker7Q mapped");
      report.say("called", bank.call(given));
      report.say("given", given);
      session.commit();
    }
  }

  interface Bank {
    @Select("SELECT * FROM customers ORDER BY id")
    List<Map<String, Object>> customers();

    @Select("SELECT * FROM accounts ORDER BY id")
    List<Map<String, Object>> accounts();

    @Select("SELECT * FROM transfers ORDER BY id")
    List<Map<String, Object>> transfers();

    @Select("SELECT name, born, active FROM customers WHERE id = 99")
    List<Map<String, Object>> nothing();

    @Select("SELECT * FROM customers ORDER BY id")
    List<Customer> beans();

    @Select(
        "SELECT holder AS label, COUNT(*) AS n, SUM(balance) AS total FROM holdings"
            + " GROUP BY holder ORDER BY holder")
    List<Map<String, Object>> values();

    @Insert("INSERT INTO customers (name, email) VALUES (#{name}, #{email})")
    @Options(useGeneratedKeys = true, keyProperty = "id")
    int add(Customer customer);

    @Update("UPDATE customers SET name = #{name} WHERE id = #{id}")
    int rename(@Param("id") int id, @Param("name") String name);

    @Select("SELECT name FROM customers WHERE id = #{id}")
    String named(int id);

    @Select(
        "{call transfer(#{source}, #{target}, #{amount}, #{purpose},"
            + " #{remaining, mode=OUT, jdbcType=DECIMAL}, #{holder, mode=OUT, jdbcType=VARCHAR})}")
    @Options(statementType = StatementType.CALLABLE)
    List<Map<String, Object>> call(Map<String, Object> given);
  }
}
