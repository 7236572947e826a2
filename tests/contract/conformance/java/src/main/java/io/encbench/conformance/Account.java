package io.encbench.conformance;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.FetchType;
import jakarta.persistence.Id;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.Table;
import java.math.BigDecimal;
import java.time.LocalDateTime;
import java.util.Arrays;
import org.hibernate.annotations.JdbcTypeCode;
import org.hibernate.type.SqlTypes;

/** A row of accounts as an entity. */
@Entity
@Table(name = "accounts")
class Account {
  /** As the column's values are. */
  enum Kind {
    current,
    savings
  }

  @Id Integer id;

  @ManyToOne(fetch = FetchType.LAZY)
  @JoinColumn(name = "customer_id")
  Customer customer;

  @JdbcTypeCode(SqlTypes.CHAR)
  @Column(length = 22)
  String iban;

  @Column(precision = 14, scale = 2)
  BigDecimal balance;

  @Enumerated(EnumType.STRING)
  @Column(columnDefinition = "enum('current','savings')")
  Kind kind;

  Double rate;

  LocalDateTime opened;

  @Column(length = 16)
  byte[] seal;

  @Override
  public String toString() {
    return String.join(
        " ",
        id.toString(),
        iban,
        balance.toString(),
        kind.name(),
        String.valueOf(rate),
        opened.toString(),
        Arrays.toString(seal));
  }
}
