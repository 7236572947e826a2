package io.encbench.tpcc.transaction;

import io.encbench.tpcc.database.Rows;
import io.encbench.tpcc.database.Session;
import java.math.BigDecimal;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.LocalDateTime;

/** Payment, clause 2.5: its input, and what it sends whatever the statements. */
public abstract class PaymentWork implements Work {
  protected static final String ADDRESS_OF_WAREHOUSE =
      "w_name, w_street_1, w_street_2, w_city, w_state, w_zip";
  protected static final String ADDRESS_OF_DISTRICT =
      "d_name, d_street_1, d_street_2, d_city, d_state, d_zip";
  protected static final String WHERE_CUSTOMER = " WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?";
  protected static final String PAID =
      "UPDATE bmsql_customer SET c_balance = c_balance - ?, c_ytd_payment = c_ytd_payment + ?,"
          + " c_payment_cnt = c_payment_cnt + 1";
  protected static final String TO_DISTRICT = "UPDATE bmsql_district SET d_ytd = d_ytd + ?";
  protected static final String WHERE_DISTRICT = " WHERE d_w_id = ? AND d_id = ?";
  protected static final String TO_WAREHOUSE = "UPDATE bmsql_warehouse SET w_ytd = w_ytd + ?";
  protected static final String WHERE_WAREHOUSE = " WHERE w_id = ?";
  protected static final String INTO_HISTORY =
      "INSERT INTO bmsql_history"
          + " (h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, h_amount, h_data)";
  protected static final String BETWEEN_NAMES = "    ";

  private static final String HISTORY = INTO_HISTORY + " VALUES (?, ?, ?, ?, ?, ?, ?, ?)";
  private static final String PAY_DISTRICT = TO_DISTRICT + WHERE_DISTRICT;
  private static final String PAY_WAREHOUSE = TO_WAREHOUSE + WHERE_WAREHOUSE;
  private static final String CUSTOMER_DATA = "SELECT c_data FROM bmsql_customer" + WHERE_CUSTOMER;

  protected final int warehouse;
  protected final int district;
  protected final Customer customer;
  protected final BigDecimal amount;

  /** A payment of so many cents at a district, by a customer of this one or of another. */
  protected PaymentWork(int warehouse, int district, Customer customer, int cents) {
    this.warehouse = warehouse;
    this.district = district;
    this.customer = customer;
    this.amount = BigDecimal.valueOf(cents, 2);
  }

  @Override
  public final Type type() {
    return Type.PAYMENT;
  }

  protected final void payDistrict(Session session) throws SQLException {
    PreparedStatement update = session.prepare(PAY_DISTRICT);
    update.setBigDecimal(1, amount);
    update.setInt(2, warehouse);
    update.setInt(3, district);
    session.update(update);
  }

  protected final void payWarehouse(Session session) throws SQLException {
    PreparedStatement update = session.prepare(PAY_WAREHOUSE);
    update.setBigDecimal(1, amount);
    update.setInt(2, warehouse);
    session.update(update);
  }

  /** The data of a customer with bad credit, with this payment in front (clause 2.5.2.2). */
  protected final String data(Session session, int number) throws SQLException {
    PreparedStatement select = session.prepare(CUSTOMER_DATA + session.dialect().current());
    Query.bind(select, customer.warehouse(), customer.district(), number);
    try (Rows row = session.query(select).one("customer")) {
      return customer.dataAfter(number, warehouse, district, amount, row.text(1));
    }
  }

  protected final void insertHistory(
      Session session, int number, String nameOfWarehouse, String nameOfDistrict)
      throws SQLException {
    PreparedStatement insert = session.prepare(HISTORY);
    Query.bind(insert, number, customer.district(), customer.warehouse(), district, warehouse);
    insert.setObject(6, LocalDateTime.now());
    insert.setBigDecimal(7, amount);
    insert.setString(8, history(nameOfWarehouse, nameOfDistrict));
    session.update(insert);
  }

  /** The history's text (clause 2.5.2.2). */
  private static String history(String nameOfWarehouse, String nameOfDistrict) {
    return nameOfWarehouse + BETWEEN_NAMES + nameOfDistrict;
  }
}
