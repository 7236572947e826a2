CREATE TABLE secret (id INT PRIMARY KEY, name VARCHAR(40), num DECIMAL(14,2), grp INT, doc JSON, txt TEXT, KEY (name)) DEFAULT CHARSET utf8mb4
INSERT INTO secret VALUES (1, 'Marker7Qxone', 73519402.25, 1, '{"a": "Marker7Qxone"}', 'Marker7Qxone'), (2, 'Marker7Qxtwo', 73519402.50, 1, '{"a": "Marker7Qxtwo"}', 'Marker7Qxtwo'), (3, NULL, NULL, 2, NULL, NULL)
CREATE TABLE plain (id INT PRIMARY KEY, label VARCHAR(40)) DEFAULT CHARSET utf8mb4
INSERT INTO plain VALUES (1, 'open'), (2, 'shut')
CREATE VIEW merged AS SELECT id, name AS label FROM secret
CREATE ALGORITHM=TEMPTABLE VIEW kept AS SELECT id, name AS label FROM secret
CREATE VIEW harmless AS SELECT id, label FROM plain
CREATE VIEW joined AS SELECT plain.id AS id, secret.name AS label FROM secret JOIN plain ON plain.id = secret.id
CREATE TABLE copied AS SELECT id, name AS label FROM secret
CREATE FUNCTION told() RETURNS VARCHAR(40) READS SQL DATA RETURN (SELECT name FROM secret WHERE id = 1)
CREATE PROCEDURE lists() BEGIN SELECT name FROM secret; SELECT id, name AS label FROM secret; END
CREATE PROCEDURE spoofs() SELECT label FROM (SELECT name AS label FROM secret) plain
CREATE PROCEDURE gives(OUT label VARCHAR(40)) SELECT name INTO label FROM secret WHERE id = 1
CREATE TABLE types (id INT PRIMARY KEY, ti TINYINT, tu TINYINT UNSIGNED, si SMALLINT, mi MEDIUMINT, it INT, iz INT(8) UNSIGNED ZEROFILL, bi BIGINT, bu BIGINT UNSIGNED, fl FLOAT, db DOUBLE, de DECIMAL(20,5), da DATE, t0 TIME, t6 TIME(6), d0 DATETIME, d3 DATETIME(3), d6 DATETIME(6), ts TIMESTAMP(2) NULL, ye YEAR, b1 BIT(1), b9 BIT(9), ch CHAR(9), vc VARCHAR(99), bn BINARY(4), vb VARBINARY(9), tx LONGTEXT, bl LONGBLOB, en ENUM('a','b'), se SET('x','y'), js JSON, ge GEOMETRY) DEFAULT CHARSET utf8mb4
INSERT INTO types (id) VALUES (1)
INSERT INTO types VALUES (2, -128, 255, -32768, -8388608, -2147483648, 42, -9223372036854775808, 18446744073709551615, -1.5, 1.0000000000000002, -123456789012345.12345, '1000-01-02', '-838:59:59', '12:00:00.000001', '2026-01-02 03:04:05', '2026-01-02 03:04:05.678', '9999-12-31 23:59:59.999999', '2026-01-02 03:04:05.67', 1901, b'1', b'101010101', 'ch', 'vä☃', 'ab', x'00ff', REPEAT('t', 70000), REPEAT(x'00', 300), 'b', 'x,y', '{"k": [1]}', ST_GeomFromText('POINT(1 2)'))
INSERT INTO types (id, ti, it, db, da, t0, d0, d6, vc, bl) VALUES (3, 0, 0, 0, '2026-12-31', '00:00:00', '2026-01-02 00:00:00', '2026-01-02 00:00:00', '', '')
INSERT INTO types (id, db, fl, t0, t6, ye) VALUES (4, 1e300, 3e-38, '-00:00:01', '-12:00:00', 2155)
CREATE TABLE mails (`e@mail` VARCHAR(40)) DEFAULT CHARSET utf8mb4
INSERT INTO mails VALUES ('Marker7Qxmail')
