CREATE VIEW holdings AS
SELECT customers.id AS customer_id, customers.name AS holder, accounts.id AS account_id,
  accounts.balance AS balance
FROM customers JOIN accounts ON accounts.customer_id = customers.id;

DELIMITER //

CREATE PROCEDURE transfer(
  IN source INT, IN target INT, IN amount DECIMAL(12,2), IN purpose VARCHAR(140),
  OUT remaining DECIMAL(14,2), OUT holder VARCHAR(60))
BEGIN
  DECLARE found CURSOR FOR SELECT customers.name FROM customers JOIN accounts
    ON accounts.customer_id = customers.id WHERE accounts.id = source;
  UPDATE accounts SET balance = balance - amount WHERE id = source;
  UPDATE accounts SET balance = balance + amount WHERE id = target;
  INSERT INTO transfers (source_id, target_id, amount, purpose, booked)
    VALUES (source, target, amount, purpose, '2026-03-01 12:00:00.125');
  SELECT accounts.balance INTO remaining FROM accounts WHERE accounts.id = source;
  OPEN found;
  FETCH found INTO holder;
  CLOSE found;
  SELECT accounts.id, accounts.iban, accounts.balance FROM accounts
    WHERE accounts.id IN (source, target) ORDER BY accounts.id;
END //

DELIMITER ;
