package io.encbench.tpcc.transaction.benchmarksql;

import io.encbench.tpcc.database.Rows;
import io.encbench.tpcc.database.Session;
import io.encbench.tpcc.transaction.Customer;
import io.encbench.tpcc.transaction.PaymentWork;
import io.encbench.tpcc.transaction.Query;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** Payment: district, warehouse and customer are changed and read one by one. */
final class PaymentByTable extends PaymentWork {
  private static final String DISTRICT =
      "SELECT " + ADDRESS_OF_DISTRICT + " FROM bmsql_district WHERE d_w_id = ? AND d_id = ?";
  private static final String WAREHOUSE =
      "SELECT " + ADDRESS_OF_WAREHOUSE + " FROM bmsql_warehouse WHERE w_id = ?";
  private static final String CUSTOMER =
      "SELECT c_first, c_middle, c_last, c_street_1, c_street_2, c_city, c_state, c_zip, c_phone,"
          + " c_since, c_credit, c_credit_lim, c_discount, c_balance FROM bmsql_customer"
          + WHERE_CUSTOMER
          + " FOR UPDATE";
  private static final String PAY = PAID + WHERE_CUSTOMER;
  private static final String PAY_WITH_DATA = PAID + ", c_data = ?" + WHERE_CUSTOMER;

  PaymentByTable(int warehouse, int district, Customer customer, int cents) {
    super(warehouse, district, customer, cents);
  }

  @Override
  public boolean attempt(Session session) throws SQLException {
    payDistrict(session);
    String nameOfDistrict =
        name(session, Query.bind(session.prepare(DISTRICT), warehouse, district), "district");
    payWarehouse(session);
    String nameOfWarehouse =
        name(session, Query.bind(session.prepare(WAREHOUSE), warehouse), "warehouse");
    int number = customer.find(session);
    pay(session, number, hasBadCredit(session, number) ? data(session, number) : null);
    insertHistory(session, number, nameOfWarehouse, nameOfDistrict);
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
}
