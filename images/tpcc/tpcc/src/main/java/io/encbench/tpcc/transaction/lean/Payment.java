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
 * Payment: where an UPDATE can return what it has changed, that saves the SELECTs and their round
 * trips.
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
  private static final String PAY_RETURNING = PAY + " RETURNING " + ABOUT_CUSTOMER;
  private static final String WRITE_CUSTOMER_DATA =
      "UPDATE bmsql_customer SET c_data = ?" + WHERE_CUSTOMER;
  private static final String DISTRICT_RETURNING =
      PAY_DISTRICT + " RETURNING " + ADDRESS_OF_DISTRICT;
  private static final String WAREHOUSE_RETURNING =
      PAY_WAREHOUSE + " RETURNING " + ADDRESS_OF_WAREHOUSE;

  private static final Trip ALL_RETURNING =
      new Trip(DISTRICT_RETURNING, PAY_RETURNING, WAREHOUSE_RETURNING);
  private static final Trip HISTORY_AND_COMMIT = Trip.committed(HISTORY);

  Payment(int warehouse, int district, Customer customer, int cents) {
    super(warehouse, district, customer, cents);
  }

  @Override
  public boolean attempt(Session session) throws SQLException {
    int number = customer.find(session);
    if (session.abilities().combine()) {
      payReturning(session, number);
    } else {
      pay(session, number);
      session.commit();
    }
    return true;
  }

  /** Every row is changed and read by one statement. */
  private void payReturning(Session session, int number) throws SQLException {
    Trip.Values trip =
        ALL_RETURNING
            .on(session)
            .decimal(amount)
            .numbers(warehouse, district)
            .decimal(amount)
            .decimal(amount)
            .numbers(customer.warehouse(), customer.district(), number)
            .decimal(amount)
            .numbers(warehouse);
    String nameOfDistrict;
    try (Rows row = trip.row("district")) {
      nameOfDistrict = row.text(1);
      row.show(2, 6);
    }
    boolean badCredit;
    try (Rows row = trip.row("customer")) {
      badCredit = showCustomer(row);
    }
    String nameOfWarehouse;
    try (Rows row = trip.row("warehouse")) {
      nameOfWarehouse = row.text(1);
      row.show(2, 6);
    }
    if (badCredit) {
      writeData(session, number);
    }
    HISTORY_AND_COMMIT
        .on(session)
        .numbers(number, customer.district(), customer.warehouse(), district, warehouse)
        .time(LocalDateTime.now())
        .decimal(amount)
        .text(history(nameOfWarehouse, nameOfDistrict))
        .changed();
  }

  /** What does not change is read before the first lock, with one statement. */
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
