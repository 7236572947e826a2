package io.encbench.tpcc.transaction;

import io.encbench.tpcc.database.Rows;
import io.encbench.tpcc.database.Session;
import java.math.BigDecimal;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Arrays;

/**
 * A customer as an input names one: by number, or by last name.
 *
 * @param number 0 for one that is named by the last name
 * @param lastName null for one that is named by number
 */
public record Customer(int warehouse, int district, int number, String lastName) {
  /** The most letters of a customer's data. */
  public static final int MOST_DATA = 500;

  private static final String BY_NAME =
      "SELECT c_id FROM bmsql_customer"
          + " WHERE c_w_id = ? AND c_d_id = ? AND c_last = ? ORDER BY c_first";

  /** The number; of several by one name that of the middle one by first name (clause 2.5.2.2). */
  public int find(Session session) throws SQLException {
    if (lastName == null) {
      return number;
    }
    PreparedStatement select = session.prepare(BY_NAME);
    select.setInt(1, warehouse);
    select.setInt(2, district);
    select.setString(3, lastName);
    int[] numbers = new int[16];
    int count = 0;
    try (Rows rows = session.query(select)) {
      while (rows.next()) {
        if (count == numbers.length) {
          numbers = Arrays.copyOf(numbers, 2 * count);
        }
        numbers[count++] = rows.number(1);
      }
    }
    if (count == 0) {
      throw Rows.missing("customer by last name");
    }
    return numbers[(count - 1) / 2];
  }

  /** The data of a customer with bad credit after a payment, cut off as the clause wants. */
  public String dataAfter(
      int found, int payWarehouse, int payDistrict, BigDecimal amount, String data) {
    String longer = found + note(payWarehouse, payDistrict, amount) + data;
    return longer.length() <= MOST_DATA ? longer : longer.substring(0, MOST_DATA);
  }

  /** What a payment puts between the customer's number and the data that there were before. */
  public String note(int payWarehouse, int payDistrict, BigDecimal amount) {
    return String.join(
        " ",
        "",
        Integer.toString(district),
        Integer.toString(warehouse),
        Integer.toString(payDistrict),
        Integer.toString(payWarehouse),
        amount.toPlainString(),
        "|",
        "");
  }
}
