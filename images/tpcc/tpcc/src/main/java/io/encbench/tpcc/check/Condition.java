package io.encbench.tpcc.check;

/**
 * The six queries of the published procedure, each of which finds the rows that contradict it.
 *
 * <p>They are conditions 1 to 4 of the specification's clause 3.3.2. Condition 2 says nothing of
 * districts without an outstanding order.
 */
public enum Condition {
  WAREHOUSE_YTD(
      "every warehouse's year-to-date is the sum of its districts'",
      """
      SELECT w_id, w_ytd, d_sum FROM bmsql_warehouse
        LEFT JOIN (SELECT d_w_id, SUM(d_ytd) AS d_sum FROM bmsql_district GROUP BY d_w_id) d
        ON d_w_id = w_id
      WHERE d_sum IS NULL OR d_sum <> w_ytd"""),
  DISTRICT_YTD(
      "the sum of its districts' year-to-date is every warehouse's",
      """
      SELECT d_w_id, d_sum, w_ytd
      FROM (SELECT d_w_id, SUM(d_ytd) AS d_sum FROM bmsql_district GROUP BY d_w_id) d
        LEFT JOIN bmsql_warehouse ON w_id = d_w_id
      WHERE w_ytd IS NULL OR d_sum <> w_ytd"""),
  NEXT_ORDER(
      "every district's next order is the one after its last",
      """
      SELECT d_w_id, d_id, d_next_o_id, o_max FROM bmsql_district
        LEFT JOIN (SELECT o_w_id, o_d_id, MAX(o_id) AS o_max FROM bmsql_oorder
                   GROUP BY o_w_id, o_d_id) o
        ON o_w_id = d_w_id AND o_d_id = d_id
      WHERE o_max IS NULL OR d_next_o_id - 1 <> o_max"""),
  NEXT_NEW_ORDER(
      "every district's next order is the one after its last outstanding one",
      """
      SELECT d_w_id, d_id, d_next_o_id, no_max FROM bmsql_district
        JOIN (SELECT no_w_id, no_d_id, MAX(no_o_id) AS no_max FROM bmsql_new_order
              GROUP BY no_w_id, no_d_id) n
        ON no_w_id = d_w_id AND no_d_id = d_id
      WHERE d_next_o_id - 1 <> no_max"""),
  NO_GAPS(
      "outstanding orders are numbered without gaps",
      """
      SELECT no_w_id, no_d_id, MIN(no_o_id), MAX(no_o_id), COUNT(*) FROM bmsql_new_order
      GROUP BY no_w_id, no_d_id
      HAVING MAX(no_o_id) - MIN(no_o_id) + 1 <> COUNT(*)"""),
  ORDER_LINES(
      "orders have as many lines as they say",
      """
      SELECT o_w_id, o_d_id, o_lines, ol_lines
      FROM (SELECT o_w_id, o_d_id, SUM(o_ol_cnt) AS o_lines FROM bmsql_oorder
            GROUP BY o_w_id, o_d_id) o
        LEFT JOIN (SELECT ol_w_id, ol_d_id, COUNT(*) AS ol_lines FROM bmsql_order_line
                   GROUP BY ol_w_id, ol_d_id) l
        ON ol_w_id = o_w_id AND ol_d_id = o_d_id
      WHERE ol_lines IS NULL OR o_lines <> ol_lines""");

  private final String says;
  private final String contradictions;

  Condition(String says, String contradictions) {
    this.says = says;
    this.contradictions = contradictions;
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
