package io.encbench.conformance;

import java.math.BigDecimal;
import java.nio.file.Path;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import javax.sql.DataSource;

/** JDBC itself: a procedure with a result set and output parameters, of one type or another. */
final class Callables implements Library {
  @Override
  public void run(DataSource source, Path folder, Report report) throws SQLException {
    try (Connection connection = source.getConnection();
        CallableStatement call = connection.prepareCall("{call transfer(?, ?, ?, ?, ?, ?)}")) {
      for (int turn = 0; turn < 2; turn++) {
        call.setInt(1, 10);
        call.setInt(2, 12);
        call.setBigDecimal(3, new BigDecimal("10.25"));
        call.setString(4, "Marker7Q called");
        call.registerOutParameter(5, turn == 0 ? Types.DECIMAL : Types.DOUBLE);
        call.registerOutParameter(6, Types.VARCHAR);
        report.say("has rows", call.execute());
        try (ResultSet rows = call.getResultSet()) {
          while (rows.next()) {
            report.say("id", rows.getInt("id"));
            report.say("iban", rows.getString("iban"));
            report.say("balance", rows.getBigDecimal("balance"));
          }
        }
        report.say("more", call.getMoreResults());
        report.say("remaining", call.getBigDecimal(5));
        report.say("remaining as object", call.getObject(5));
        report.say("was null", call.wasNull());
        report.say("holder", call.getString(6));
      }
    }
  }
}
