package io.encbench.tpcc.transaction.benchmarksql;

import io.encbench.tpcc.database.Rows;
import io.encbench.tpcc.database.Session;
import io.encbench.tpcc.transaction.Customer;
import io.encbench.tpcc.transaction.Query;
import io.encbench.tpcc.transaction.Type;
import io.encbench.tpcc.transaction.Work;
import java.math.BigDecimal;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.LocalDateTime;

/** Payment, clause 2.5: district, warehouse and customer are changed and read one by one. */
final class PaymentByTable implements Work {
  private static final String PAY_DISTRICT =
      "UPDATE bmsql_district SET d_ytd = d_ytd + ? WHERE d_w_id = ? AND d_id = ?";
  private static final String DISTRICT =
      "SELECT d_name, d_street_1, d_street_2, d_city, d_state, d_zip FROM bmsql_district"
          + " WHERE d_w_id = ? AND d_id = ?";
  private static final String PAY_WAREHOUSE =
      "UPDATE bmsql_warehouse SET w_ytd = w_ytd + ? WHERE w_id = ?";
  private static final String WAREHOUSE =
      "SELECT w_name, w_street_1, w_street_2, w_city, w_state, w_zip FROM bmsql_warehouse"
          + " WHERE w_id = ?";
  private static final String WHERE_CUSTOMER = " WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?";
  private static final String CUSTOMER =
      "SELECT c_first, c_middle, c_last, c_street_1, c_street_2, c_city, c_state, c_zip, c_phone,"
          + " c_since, c_credit, c_credit_lim, c_discount, c_balance FROM bmsql_customer"
          + WHERE_CUSTOMER
          + " FOR UPDATE";
  private static final String CUSTOMER_DATA = "SELECT c_data FROM bmsql_customer" + WHERE_CUSTOMER;
  private static final String PAID =
      "UPDATE bmsql_customer SET c_balance = c_balance - ?, c_ytd_payment = c_ytd_payment + ?,"
          + " c_payment_cnt = c_payment_cnt + 1";
  private static final String PAY = PAID + WHERE_CUSTOMER;
  private static final String PAY_WITH_DATA = PAID + ", c_data = ?" + WHERE_CUSTOMER;
  private static final String HISTORY =
      "INSERT INTO bmsql_history"
          + " (h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, h_amount, h_data)"
          + " VALUES (?, ?, ?, ?, ?, ?, ?, ?)";

  private final int warehouse;
  private final int district;
  private final Customer customer;
  private final BigDecimal amount;

  PaymentByTable(int warehouse, int district, Customer customer, int cents) {
    this.warehouse = warehouse;
    this.district = district;
    this.customer = customer;
    this.amount = BigDecimal.valueOf(cents, 2);
  }

  @Override
  public Type type() {
    return Type.PAYMENT;
  }

  @Override
  public boolean attempt(Session session) throws SQLException {
    PreparedStatement update = session.prepare(PAY_DISTRICT);
    update.setBigDecimal(1, amount);
    update.setInt(2, warehouse);
    update.setInt(3, district);
    session.update(update);
    String nameOfDistrict =
        name(session, Query.bind(session.prepare(DISTRICT), warehouse, district), "district");
    update = session.prepare(PAY_WAREHOUSE);
    update.setBigDecimal(1, amount);
    update.setInt(2, warehouse);
    session.update(update);
    String nameOfWarehouse =
        name(session, Query.bind(session.prepare(WAREHOUSE), warehouse), "warehouse");
    int number = customer.find(session);
    pay(session, number, hasBadCredit(session, number) ? data(session, number) : null);
    insertHistory(session, number, nameOfWarehouse + "    " + nameOfDistrict);
    session.commit();
    return true;
  }

  /** Reads a name with its address. */
  private static String name(Session session, PreparedStatement select, String what)
      throws SQLException {
    try (Rows row = session.query(select).one(what)) {
      row.show(2, 6);
      return row.text(1);
    }
  }

  /** Locks the customer and reads all that is to be shown; whether its credit is bad. */
  private boolean hasBadCredit(Session session, int number) throws SQLException {
    PreparedStatement select = session.prepare(CUSTOMER);
    Query.bind(select, customer.warehouse(), customer.district(), number);
    try (Rows row = session.query(select).one("customer")) {
      row.show(1, 10);
      row.show(12, 13);
      row.decimal(14);
      return row.text(11).equals("BC");
    }
  }

  /** The data of a customer with bad credit: this payment goes to its front (clause 2.5.2.2). */
  private String data(Session session, int number) throws SQLException {
    PreparedStatement select = session.prepare(CUSTOMER_DATA);
    Query.bind(select, customer.warehouse(), customer.district(), number);
    try (Rows row = session.query(select).one("customer")) {
      return customer.dataAfter(number, warehouse, district, amount, row.text(1));
    }
  }

  /** Takes the amount off the balance; `data` is null for a customer with good credit. */
  private void pay(Session session, int number, String data) throws SQLException {
    PreparedStatement update = session.prepare(data == null ? PAY : PAY_WITH_DATA);
    update.setBigDecimal(1, amount);
    update.setBigDecimal(2, amount);
    int place = 3;
    if (data != null) {
      update.setString(place++, data);
    }
    update.setInt(place++, customer.warehouse());
    update.setInt(place++, customer.district());
    update.setInt(place, number);
    session.update(update);
  }

  private void insertHistory(Session session, int number, String data) throws SQLException {
    PreparedStatement insert = session.prepare(HISTORY);
    Query.bind(insert, number, customer.district(), customer.warehouse(), district, warehouse);
    insert.setObject(6, LocalDateTime.now());
    insert.setBigDecimal(7, amount);
    insert.setString(8, data);
    session.update(insert);
  }
}
