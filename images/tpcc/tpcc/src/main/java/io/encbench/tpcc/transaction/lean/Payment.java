package io.encbench.tpcc.transaction.lean;

import io.encbench.tpcc.database.Rows;
import io.encbench.tpcc.database.Session;
import io.encbench.tpcc.transaction.Customer;
import io.encbench.tpcc.transaction.PaymentWork;
import io.encbench.tpcc.transaction.Query;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.LocalDateTime;

/**
 * Payment: what does not change is read before the first lock, with one statement.
 *
 * <p>On PostgreSQL all of it is one statement, and commits in the same round trip. It changes
 * nothing if there is no such customer.
 */
final class Payment extends PaymentWork {
  private static final String ABOUT_CUSTOMER =
      "c_credit, c_first, c_middle, c_last, c_street_1, c_street_2, c_city, c_state, c_zip,"
          + " c_phone, c_since, c_credit_lim, c_discount, c_balance";

  private static final String PLACES =
      "SELECT "
          + ADDRESS_OF_DISTRICT
          + ", "
          + ADDRESS_OF_WAREHOUSE
          + " FROM bmsql_warehouse JOIN bmsql_district ON d_w_id = w_id"
          + " WHERE w_id = ? AND d_id = ?";
  private static final String CUSTOMER =
      "SELECT " + ABOUT_CUSTOMER + " FROM bmsql_customer" + WHERE_CUSTOMER + " FOR UPDATE";

  private static final String PAY = PAID + WHERE_CUSTOMER;
  private static final String WRITE_CUSTOMER_DATA =
      "UPDATE bmsql_customer SET c_data = ?" + WHERE_CUSTOMER;

  private static final Trip ALL_BY_NUMBER = all(WHERE_CUSTOMER);

  /** Of several by one name it is the middle one by first name, as in {@link Customer#find}. */
  private static final Trip ALL_BY_NAME =
      all(
          " WHERE c_w_id = ? AND c_d_id = ? AND c_id ="
              + " (SELECT (array_agg(c_id ORDER BY c_first))[(COUNT(*) + 1) / 2]"
              + " FROM bmsql_customer WHERE c_w_id = ? AND c_d_id = ? AND c_last = ?)");

  Payment(int warehouse, int district, Customer customer, int cents) {
    super(warehouse, district, customer, cents);
  }

  private static Trip all(String whereCustomer) {
    return Trip.committed(
        "WITH paid AS ("
            + PAID
            + ", c_data = CASE c_credit WHEN 'BC' THEN left(c_id || ? || c_data, "
            + Customer.MOST_DATA
            + ") ELSE c_data END"
            + whereCustomer
            + " RETURNING c_id, CASE c_credit WHEN 'BC' THEN left(c_data, 200) END AS bad, "
            + ABOUT_CUSTOMER
            + "), district AS ("
            + TO_DISTRICT
            + " FROM paid"
            + WHERE_DISTRICT
            + " RETURNING "
            + ADDRESS_OF_DISTRICT
            + "), warehouse AS ("
            + TO_WAREHOUSE
            + " FROM district"
            + WHERE_WAREHOUSE
            + " RETURNING "
            + ADDRESS_OF_WAREHOUSE
            + "), history AS ("
            + INTO_HISTORY
            + " SELECT c_id, ?, ?, ?, ?, ?, ?, w_name || '"
            + BETWEEN_NAMES
            + "' || d_name FROM paid, district, warehouse) SELECT bad, "
            + String.join(", ", ABOUT_CUSTOMER, ADDRESS_OF_DISTRICT, ADDRESS_OF_WAREHOUSE)
            + " FROM paid, district, warehouse");
  }

  @Override
  public boolean attempt(Session session) throws SQLException {
    if (session.abilities().combine()) {
      payAtOnce(session);
    } else {
      pay(session, customer.find(session));
      session.commit();
    }
    return true;
  }

  private void payAtOnce(Session session) throws SQLException {
    boolean byName = customer.lastName() != null;
    Trip.Values trip =
        (byName ? ALL_BY_NAME : ALL_BY_NUMBER)
            .on(session)
            .decimal(amount)
            .decimal(amount)
            .text(customer.note(warehouse, district, amount))
            .numbers(customer.warehouse(), customer.district());
    if (byName) {
      trip.numbers(customer.warehouse(), customer.district()).text(customer.lastName());
    } else {
      trip.numbers(customer.number());
    }
    trip.decimal(amount)
        .numbers(warehouse, district)
        .decimal(amount)
        .numbers(warehouse)
        .numbers(customer.district(), customer.warehouse(), district, warehouse)
        .time(LocalDateTime.now())
        .decimal(amount);
    try (Rows row = trip.row("customer")) {
      row.show(1, 14);
      row.decimal(15);
      row.show(16, 27);
    }
  }

  private void pay(Session session, int number) throws SQLException {
    String nameOfDistrict;
    String nameOfWarehouse;
    PreparedStatement select = session.prepare(PLACES);
    Query.bind(select, warehouse, district);
    try (Rows row = session.query(select).one("district")) {
      nameOfDistrict = row.text(1);
      row.show(2, 6);
      nameOfWarehouse = row.text(7);
      row.show(8, 12);
    }
    payDistrict(session);
    boolean badCredit;
    select = session.prepare(CUSTOMER);
    Query.bind(select, customer.warehouse(), customer.district(), number);
    try (Rows row = session.query(select).one("customer")) {
      badCredit = showCustomer(row);
    }
    PreparedStatement update = session.prepare(PAY);
    update.setBigDecimal(1, amount);
    update.setBigDecimal(2, amount);
    update.setInt(3, customer.warehouse());
    update.setInt(4, customer.district());
    update.setInt(5, number);
    session.update(update);
    if (badCredit) {
      writeData(session, number);
    }
    insertHistory(session, number, nameOfWarehouse, nameOfDistrict);
    payWarehouse(session);
  }

  /** Reads all that is to be shown of the customer; whether its credit is bad. */
  private static boolean showCustomer(Rows row) throws SQLException {
    row.show(2, 13);
    row.decimal(14);
    return row.text(1).equals("BC");
  }

  private void writeData(Session session, int number) throws SQLException {
    String data = data(session, number);
    PreparedStatement update = session.prepare(WRITE_CUSTOMER_DATA);
    update.setString(1, data);
    update.setInt(2, customer.warehouse());
    update.setInt(3, customer.district());
    update.setInt(4, number);
    session.update(update);
  }
}
