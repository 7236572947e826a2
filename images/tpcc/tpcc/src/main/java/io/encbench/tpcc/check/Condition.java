package io.encbench.tpcc.check;

import java.util.Arrays;
import java.util.List;

/**
 * Queries, each of which finds the rows that contradict a condition. NULL in a column that a
 * condition compares contradicts it.
 *
 * <p>The first six are those of the published procedure, which are conditions 1 to 4 of the
 * specification's clause 3.3.2. Condition 2 says nothing of districts without an outstanding order.
 * The others are its conditions 5 to 12, which read every order, line, customer and payment. Each
 * says its clause, because two of the conditions are two queries and the numbers differ.
 */
public enum Condition {
  WAREHOUSE_YTD(
      "every warehouse's year-to-date is the sum of its districts' (3.3.2.1)",
      """
      SELECT w_id, w_ytd, d_sum FROM bmsql_warehouse
        LEFT JOIN (SELECT d_w_id, SUM(d_ytd) AS d_sum FROM bmsql_district GROUP BY d_w_id) d
        ON d_w_id = w_id
      WHERE w_ytd IS NULL OR d_sum IS NULL OR d_sum <> w_ytd"""),
  DISTRICT_YTD(
      "the sum of its districts' year-to-date is every warehouse's (3.3.2.1)",
      """
      SELECT d_w_id, d_sum, w_ytd
      FROM (SELECT d_w_id, SUM(d_ytd) AS d_sum FROM bmsql_district GROUP BY d_w_id) d
        LEFT JOIN bmsql_warehouse ON w_id = d_w_id
      WHERE w_ytd IS NULL OR d_sum IS NULL OR d_sum <> w_ytd"""),
  NEXT_ORDER(
      "every district's next order is the one after its last (3.3.2.2)",
      """
      SELECT d_w_id, d_id, d_next_o_id, o_max FROM bmsql_district
        LEFT JOIN (SELECT o_w_id, o_d_id, MAX(o_id) AS o_max FROM bmsql_oorder
                   GROUP BY o_w_id, o_d_id) o
        ON o_w_id = d_w_id AND o_d_id = d_id
      WHERE d_next_o_id IS NULL OR o_max IS NULL OR d_next_o_id - 1 <> o_max"""),
  NEXT_NEW_ORDER(
      "every district's next order is the one after its last outstanding one (3.3.2.2)",
      """
      SELECT d_w_id, d_id, d_next_o_id, no_max FROM bmsql_district
        JOIN (SELECT no_w_id, no_d_id, MAX(no_o_id) AS no_max FROM bmsql_new_order
              GROUP BY no_w_id, no_d_id) n
        ON no_w_id = d_w_id AND no_d_id = d_id
      WHERE d_next_o_id IS NULL OR d_next_o_id - 1 <> no_max"""),
  NO_GAPS(
      "outstanding orders are numbered without gaps (3.3.2.3)",
      """
      SELECT no_w_id, no_d_id, MIN(no_o_id), MAX(no_o_id), COUNT(*) FROM bmsql_new_order
      GROUP BY no_w_id, no_d_id
      HAVING MAX(no_o_id) - MIN(no_o_id) + 1 <> COUNT(*)"""),
  ORDER_LINES(
      "orders have as many lines as they say (3.3.2.4)",
      """
      SELECT o_w_id, o_d_id, o_lines, ol_lines
      FROM (SELECT o_w_id, o_d_id, SUM(o_ol_cnt) AS o_lines FROM bmsql_oorder
            GROUP BY o_w_id, o_d_id) o
        LEFT JOIN (SELECT ol_w_id, ol_d_id, COUNT(*) AS ol_lines FROM bmsql_order_line
                   GROUP BY ol_w_id, ol_d_id) l
        ON ol_w_id = o_w_id AND ol_d_id = o_d_id
      WHERE o_lines IS NULL OR ol_lines IS NULL OR o_lines <> ol_lines"""),
  OUTSTANDING_HAVE_NO_CARRIER(
      "an order has no carrier exactly while it is outstanding (3.3.2.5)",
      """
      SELECT o_w_id, o_d_id, o_id, o_carrier_id, no_o_id FROM bmsql_oorder
        LEFT JOIN bmsql_new_order ON no_w_id = o_w_id AND no_d_id = o_d_id AND no_o_id = o_id
      WHERE (o_carrier_id IS NULL) <> (no_o_id IS NOT NULL)""",
      true),
  LINES_OF_EACH_ORDER(
      "each order has as many lines as it says (3.3.2.6)",
      """
      SELECT o_w_id, o_d_id, o_id, o_ol_cnt, ol_lines FROM bmsql_oorder
        LEFT JOIN (SELECT ol_w_id, ol_d_id, ol_o_id, COUNT(*) AS ol_lines FROM bmsql_order_line
                   GROUP BY ol_w_id, ol_d_id, ol_o_id) l
        ON ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id
      WHERE o_ol_cnt IS NULL OR ol_lines IS NULL OR ol_lines <> o_ol_cnt""",
      true),
  LINES_ARE_DELIVERED_WITH_THEIR_ORDER(
      "a line has a date of delivery exactly if its order has a carrier (3.3.2.7)",
      """
      SELECT ol_w_id, ol_d_id, ol_o_id, ol_number, ol_delivery_d, o_carrier_id
      FROM bmsql_order_line
        LEFT JOIN bmsql_oorder ON o_w_id = ol_w_id AND o_d_id = ol_d_id AND o_id = ol_o_id
      WHERE o_id IS NULL OR (ol_delivery_d IS NULL) <> (o_carrier_id IS NULL)""",
      true),
  WAREHOUSE_HISTORY(
      "every warehouse's year-to-date is the sum of its payments (3.3.2.8)",
      """
      SELECT w_id, w_ytd, h_sum FROM bmsql_warehouse
        LEFT JOIN (SELECT h_w_id, SUM(h_amount) AS h_sum FROM bmsql_history GROUP BY h_w_id) h
        ON h_w_id = w_id
      WHERE w_ytd IS NULL OR h_sum IS NULL OR w_ytd <> h_sum""",
      true),
  DISTRICT_HISTORY(
      "every district's year-to-date is the sum of its payments (3.3.2.9)",
      """
      SELECT d_w_id, d_id, d_ytd, h_sum FROM bmsql_district
        LEFT JOIN (SELECT h_w_id, h_d_id, SUM(h_amount) AS h_sum FROM bmsql_history
                   GROUP BY h_w_id, h_d_id) h
        ON h_w_id = d_w_id AND h_d_id = d_id
      WHERE d_ytd IS NULL OR h_sum IS NULL OR d_ytd <> h_sum""",
      true),
  BALANCE(
      "every customer's balance is what was delivered less what was paid (3.3.2.10)",
      """
      SELECT c_w_id, c_d_id, c_id, c_balance, ol_sum, h_sum FROM bmsql_customer
        LEFT JOIN (SELECT o_w_id, o_d_id, o_c_id, SUM(ol_amount) AS ol_sum FROM bmsql_oorder
                     JOIN bmsql_order_line
                     ON ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id
                   WHERE ol_delivery_d IS NOT NULL GROUP BY o_w_id, o_d_id, o_c_id) o
        ON o_w_id = c_w_id AND o_d_id = c_d_id AND o_c_id = c_id
        LEFT JOIN (SELECT h_c_w_id, h_c_d_id, h_c_id, SUM(h_amount) AS h_sum FROM bmsql_history
                   GROUP BY h_c_w_id, h_c_d_id, h_c_id) h
        ON h_c_w_id = c_w_id AND h_c_d_id = c_d_id AND h_c_id = c_id
      WHERE c_balance IS NULL OR c_balance <> COALESCE(ol_sum, 0) - COALESCE(h_sum, 0)""",
      true),
  /** The specification has the 2,100 of the load alone, because it asks before any run. */
  DELIVERED_ORDERS(
      "of every district, 2,100 orders and what customers say was delivered are not outstanding"
          + " (3.3.2.11)",
      """
      SELECT d_w_id, d_id, orders, outstanding, deliveries FROM bmsql_district
        LEFT JOIN (SELECT o_w_id, o_d_id, COUNT(*) AS orders FROM bmsql_oorder
                   GROUP BY o_w_id, o_d_id) o
        ON o_w_id = d_w_id AND o_d_id = d_id
        LEFT JOIN (SELECT no_w_id, no_d_id, COUNT(*) AS outstanding FROM bmsql_new_order
                   GROUP BY no_w_id, no_d_id) n
        ON no_w_id = d_w_id AND no_d_id = d_id
        LEFT JOIN (SELECT c_w_id, c_d_id, SUM(c_delivery_cnt) AS deliveries FROM bmsql_customer
                   GROUP BY c_w_id, c_d_id) c
        ON c_w_id = d_w_id AND c_d_id = d_id
      WHERE orders IS NULL OR deliveries IS NULL
        OR orders - COALESCE(outstanding, 0) <> 2100 + deliveries""",
      true),
  DELIVERED_AMOUNTS(
      "every customer's balance and payments are what was delivered (3.3.2.12)",
      """
      SELECT c_w_id, c_d_id, c_id, c_balance, c_ytd_payment, ol_sum FROM bmsql_customer
        LEFT JOIN (SELECT o_w_id, o_d_id, o_c_id, SUM(ol_amount) AS ol_sum FROM bmsql_oorder
                     JOIN bmsql_order_line
                     ON ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id
                   WHERE ol_delivery_d IS NOT NULL GROUP BY o_w_id, o_d_id, o_c_id) o
        ON o_w_id = c_w_id AND o_d_id = c_d_id AND o_c_id = c_id
      WHERE c_balance IS NULL OR c_ytd_payment IS NULL
        OR c_balance + c_ytd_payment <> COALESCE(ol_sum, 0)""",
      true);

  private final String says;
  private final String contradictions;
  private final boolean slow;

  Condition(String says, String contradictions) {
    this(says, contradictions, false);
  }

  Condition(String says, String contradictions, boolean slow) {
    this.says = says;
    this.contradictions = contradictions;
    this.slow = slow;
  }

  /** Those that are asked, in their order. */
  static List<Condition> of(boolean all) {
    return Arrays.stream(values()).filter(condition -> all || !condition.slow).toList();
  }

  /** What it says, as a sentence without its full stop. */
  public String says() {
    return says;
  }

  /** The query for the rows that contradict it. */
  public String contradictions() {
    return contradictions;
  }
}
