INSERT INTO customers (id, name, email, born, active, remark) VALUES
  (1, 'Ada Marker7Q Byron', 'ada@Marker7Q.example', '1815-12-10', 1, 'first'),
  (2, 'Grüße Marker7Q 😀', 'gruss@Marker7Q.example', '1999-12-31', 0, NULL),
  (3, 'Émile Marker7Q Borel', NULL, NULL, 1, ''),
  (4, 'O''Marker7Q "Quote" \\ Back', 'quote@Marker7Q.example', '2000-02-29', 1, 'it''s');

INSERT INTO accounts (id, customer_id, iban, balance, kind, rate, opened, seal) VALUES
  (10, 1, 'DE00Marker7Q0000000010', 735190000.25, 'current', NULL, '2020-01-02 03:04:05.000006', X'00FF10'),
  (11, 1, 'DE00Marker7Q0000000011', 735190001.50, 'savings', 1.5, '2020-02-29 00:00:00', NULL),
  (12, 2, 'DE00Marker7Q0000000012', -735190002.75, 'current', 0, '1998-12-30 23:59:59.999999', X''),
  (13, 3, 'DE00Marker7Q0000000013', 735190003.00, 'savings', 0.125, '2026-03-01 12:00:00', X'00454E43'),
  (14, 4, 'DE00Marker7Q0000000014', 735190004.10, 'current', NULL, '2026-03-01 12:00:00', X'0102');

INSERT INTO transfers (id, source_id, target_id, amount, purpose, booked) VALUES
  (1, 10, 12, 519400.10, 'Rent Marker7Q', '2026-02-01 08:00:00'),
  (2, 12, 10, 519401.25, 'Marker7Q back', '2026-02-02 09:30:00.5'),
  (3, 11, 13, 519402.00, NULL, NULL),
  (4, 14, 10, 519403.99, 'Marker7Q', '2026-02-03 10:00:00.123'),
  (5, 10, 14, 519404.50, 'Rent Marker7Q', '2026-02-04 11:00:00');
