-- The second operator class: what a search compares on a page, in one crossing.
CREATE TABLE singly (id enc_int4, n int);
CREATE UNIQUE INDEX singly_id ON singly (id);
CREATE TABLE paged (id enc_int4 NOT NULL, t enc_text, n int);
CREATE UNIQUE INDEX paged_id ON paged (id enc_int4_batch_ops);
CREATE INDEX paged_t ON paged (t enc_text_batch_ops);
INSERT INTO singly SELECT enc_seal(n), n FROM generate_series(1, 20000) n;
INSERT INTO paged SELECT enc_seal(n), enc_seal('text ' || n % 2000), n FROM generate_series(1, 20000) n;
ANALYZE singly, paged;
SET plan_cache_mode = force_generic_plan;
SET enable_seqscan = off;
PREPARE single_point (enc_int4) AS SELECT n FROM singly WHERE id = $1;
PREPARE paged_point (enc_int4) AS SELECT n FROM paged WHERE id = $1;
PREPARE single_range (enc_int4, enc_int4) AS SELECT sum(n) FROM singly WHERE id BETWEEN $1 AND $2;
PREPARE paged_range (enc_int4, enc_int4) AS SELECT sum(n) FROM paged WHERE id BETWEEN $1 AND $2;
SELECT enc_seal(12345) AS e, enc_seal(5000) AS low, enc_seal(5099) AS high \gset
EXPLAIN (COSTS OFF) EXECUTE paged_point(:'e');
EXECUTE paged_point(:'e');
EXECUTE paged_range(:'low', :'high');

-- Both find the same; a search of two levels crosses twice, and not once a comparison.
SELECT crossed(format('EXECUTE single_point(%L)', enc_seal(4711))) AS single \gset
SELECT crossed(format('EXECUTE paged_point(%L)', enc_seal(4711))) AS paged \gset
SELECT split_part(:'single', ' ', 1)::int BETWEEN 14 AND 24 AS single,
    split_part(:'paged', ' ', 1)::int BETWEEN 2 AND 3 AS paged;
SELECT crossed(format('EXECUTE single_range(%L, %L)', enc_seal(4711), enc_seal(4810))) AS single \gset
SELECT crossed(format('EXECUTE paged_range(%L, %L)', enc_seal(4711), enc_seal(4810))) AS paged \gset
SELECT split_part(:'single', ' ', 1)::int > 2 * split_part(:'paged', ' ', 1)::int AS more,
    split_part(:'paged', ' ', 1)::int BETWEEN 3 AND 8 AS paged;

-- Right results for every key and range, in both directions, through changes of pages.
SELECT count(*) FROM generate_series(-3, 20005, 41) g
WHERE (SELECT n FROM paged WHERE id = sealed(g))
    IS DISTINCT FROM (SELECT n FROM singly WHERE n = g);
SELECT count(*) FROM generate_series(-50, 20005, 997) g
WHERE (SELECT count(*) FROM paged WHERE id > sealed(g) AND id <= sealed(g + 300))
    <> (SELECT count(*) FROM singly WHERE n > g AND n <= g + 300);
SELECT count(*) FROM generate_series(0, 1999, 61) g
WHERE (SELECT count(*) FROM paged WHERE t = sealed('text ' || g)) <> 10;
CREATE FUNCTION churn() RETURNS int LANGUAGE plpgsql AS $$
DECLARE
    wrong int := 0;
    found int;
BEGIN
    FOR i IN 1..400 LOOP
        DELETE FROM paged WHERE id = sealed(i * 7);
        SELECT count(*) INTO found FROM paged WHERE id BETWEEN sealed(i * 7 - 1) AND sealed(i * 7 + 1);
        wrong := wrong + (found <> 2)::int;
        INSERT INTO paged VALUES (enc_seal(i * 7), enc_seal('new'), i * 7), (enc_seal(30000 - i), NULL, 0);
        SELECT count(*) INTO found FROM paged WHERE id BETWEEN sealed(i * 7 - 1) AND sealed(i * 7 + 1);
        wrong := wrong + (found <> 3)::int;
        SELECT count(*) INTO found FROM paged WHERE id >= sealed(30000 - i);
        wrong := wrong + (found <> i)::int;
    END LOOP;
    RETURN wrong;
END $$;
SELECT churn();
\set VERBOSITY terse
INSERT INTO paged VALUES (enc_seal(7), NULL, 0);
\set VERBOSITY default
SELECT count(*) FROM paged WHERE t = sealed('new');

-- One key many times over: several pages of equal items.
CREATE TABLE equal_keys (k enc_int4, n int);
CREATE INDEX equal_keys_k ON equal_keys (k enc_int4_batch_ops DESC);
INSERT INTO equal_keys SELECT enc_seal(n % 3), n FROM generate_series(1, 3000) n;
SELECT g, (SELECT count(*) FROM equal_keys WHERE k = sealed(g)) AS eq,
    (SELECT count(*) FROM equal_keys WHERE k < sealed(g)) AS lt,
    (SELECT count(*) FROM equal_keys WHERE k >= sealed(g)) AS ge
FROM generate_series(-1, 3) g;

-- Only a first column is recognised by its place; the others are compared one by one, and rightly.
CREATE TABLE two_columns (a enc_int4, b enc_int4, n int);
CREATE INDEX two_columns_ab ON two_columns (a enc_int4_batch_ops, b enc_int4_batch_ops);
INSERT INTO two_columns
SELECT enc_seal(n % 20), CASE WHEN n % 9 > 0 THEN enc_seal(n) END, n FROM generate_series(1, 2000) n;
SELECT count(*) FROM generate_series(1, 2000, 37) g
WHERE (SELECT n FROM two_columns WHERE a = sealed(g % 20) AND b = sealed(g))
    IS DISTINCT FROM (CASE WHEN g % 9 > 0 THEN g END);
SELECT count(*) FROM two_columns WHERE a = sealed(4) AND b IS NULL;

-- Where the first is NULL, the second lies in its place, and is compared one by one all the same.
CREATE TABLE first_null (a enc_int4, b enc_int4, n int);
CREATE INDEX first_null_ab ON first_null (a enc_int4_batch_ops, b enc_int4_batch_ops);
INSERT INTO first_null
SELECT CASE WHEN n % 4 = 0 THEN enc_seal(n) END, enc_seal(n * 7919 % 2000), n * 7919 % 2000
FROM generate_series(1, 2000) n;
SELECT count(*) FROM generate_series(1, 1999, 37) g
WHERE (SELECT n FROM first_null WHERE a IS NULL AND b = sealed(g))
    IS DISTINCT FROM (CASE WHEN g % 4 > 0 THEN g END);
SELECT count(*) FROM first_null WHERE a IS NULL AND b < sealed(1000);
CREATE TABLE first_null_single (LIKE first_null);
CREATE INDEX first_null_single_ab ON first_null_single (a enc_int4_batch_ops, b);
INSERT INTO first_null_single SELECT * FROM first_null;
SELECT count(*) FROM first_null_single WHERE a IS NULL AND b < sealed(1000);

-- A first column is recognised in items with a NULL elsewhere, too: 2000 items lie on several pages.
CREATE TABLE second_null (a enc_int4, b enc_int4);
CREATE INDEX second_null_ab ON second_null (a enc_int4_batch_ops, b);
INSERT INTO second_null SELECT enc_seal(n), NULL FROM generate_series(1, 2000) n;
SELECT crossed(format('SELECT a FROM second_null WHERE a = %L', enc_seal(1234))) AS crossed \gset
SELECT split_part(:'crossed', ' ', 1)::int BETWEEN 2 AND 3 AS paged;

-- Pages whose state cannot be recognised: temporary and unlogged indexes are searched singly.
CREATE TEMPORARY TABLE passing (id enc_int4);
CREATE INDEX passing_id ON passing (id enc_int4_batch_ops);
CREATE UNLOGGED TABLE unlogged (id enc_int4);
CREATE INDEX unlogged_id ON unlogged (id enc_int4_batch_ops);
DO $$
DECLARE
    middle enc_int4 := enc_seal(1000);
    below int := 0;
BEGIN
    FOR i IN 0..1999 LOOP
        INSERT INTO passing VALUES (enc_seal(i * 7919 % 2000));
        INSERT INTO unlogged VALUES (enc_seal(i * 7919 % 2000));
        below := below + (i * 7919 % 2000 < 1000)::int;
        ASSERT (SELECT count(*) FROM unlogged WHERE id < middle) = below;
        IF i % 9 = 0 THEN
            ASSERT (SELECT count(*) FROM passing WHERE id < middle) = below;
        END IF;
    END LOOP;
END $$;
SELECT count(*) FROM passing WHERE id BETWEEN sealed(10) AND sealed(19);
SELECT count(*) FROM unlogged WHERE id BETWEEN sealed(10) AND sealed(19);
