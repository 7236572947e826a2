-- One crossing for each 256 values and one for the rest, in which the sum is sealed.
CREATE TABLE summed AS SELECT n, enc_seal(n - 500) AS e FROM generate_series(1, 1000) n;
CREATE FUNCTION crossed(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    before record;
    now record;
BEGIN
    SELECT * INTO before FROM enclave_crossings();
    EXECUTE statement;
    SELECT * INTO now FROM enclave_crossings();
    RETURN format('%s transitions, %s values', now.transitions - before.transitions,
        now."values" - before."values");
END $$;
SET max_parallel_workers_per_gather = 0;
SELECT enc_open(sum(e)) = sum(n - 500) AS right FROM summed;
SELECT crossed('SELECT sum(e) FROM summed');
SELECT crossed('SELECT sum(e) FROM summed WHERE n <= 100');
SELECT crossed('SELECT sum(e) FROM summed WHERE n <= 256');
SELECT crossed('SELECT sum(e) FROM summed WHERE n <= 257');
SELECT crossed('SELECT sum(e) FROM summed WHERE n < 0');
SELECT crossed('SELECT e + e FROM summed WHERE n = 1');

-- A running sum, and one in groups.
SELECT n, enc_open(sum(e) OVER (ORDER BY n)) FROM summed ORDER BY n LIMIT 3;
SELECT n % 3 AS third, enc_open(sum(e)) = sum(n - 500) AS right
FROM summed GROUP BY 1 ORDER BY 1;

-- Shares of parallel workers.
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
EXPLAIN (COSTS OFF) SELECT sum(e) FROM summed;
SELECT enc_open(sum(e)) = sum(n - 500) AS right FROM summed;
SET max_parallel_workers = 0;
SELECT enc_open(sum(e)) = sum(n - 500) AS right FROM summed;
SELECT sum(e) IS NULL AS none FROM summed WHERE n < 0;

-- The total may pass through what an integer does not hold, and not end there.
SELECT enc_open(sum(enc_seal(v))) FROM (VALUES (2147483647), (2147483647), (-2147483647)) a (v);
SELECT sum(enc_seal(v)) FROM (VALUES (2147483647), (1)) a (v);
SELECT sum(enc_seal(v)) FROM (VALUES (-2147483648), (-1)) a (v);
