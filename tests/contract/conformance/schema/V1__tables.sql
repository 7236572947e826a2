-- A bank as small as an example. The texts of chosen columns hold Marker7Q, the numbers 73519 or 51940.
CREATE TABLE customers (
  id INT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  name VARCHAR(60) NOT NULL,
  email VARCHAR(80) NULL,
  born DATE NULL,
  active TINYINT(1) NOT NULL DEFAULT 1,
  remark TEXT NULL,
  UNIQUE KEY customers_email (email)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci;

CREATE TABLE accounts (
  id INT NOT NULL PRIMARY KEY,
  customer_id INT NOT NULL,
  iban CHAR(22) NOT NULL,
  balance DECIMAL(14,2) NOT NULL,
  kind ENUM('current', 'savings') NOT NULL,
  rate DOUBLE NULL,
  opened DATETIME(6) NOT NULL,
  seal VARBINARY(16) NULL,
  CONSTRAINT accounts_customer FOREIGN KEY (customer_id) REFERENCES customers (id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci;

CREATE TABLE transfers (
  id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  source_id INT NOT NULL,
  target_id INT NOT NULL,
  amount DECIMAL(12,2) NOT NULL,
  purpose VARCHAR(140) NULL,
  booked TIMESTAMP(3) NULL,
  CONSTRAINT transfers_source FOREIGN KEY (source_id) REFERENCES accounts (id),
  CONSTRAINT transfers_target FOREIGN KEY (target_id) REFERENCES accounts (id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci;
