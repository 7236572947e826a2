-- Every operator gives what it gives for the plaintexts.
WITH numbers (n) AS (VALUES (-2147483648), (-1), (0), (1), (255), (256), (65536), (2147483647))
SELECT count(*) AS pairs,
    bool_and((enc_seal(a.n) < enc_seal(b.n)) = (a.n < b.n)) AS lt,
    bool_and((enc_seal(a.n) <= enc_seal(b.n)) = (a.n <= b.n)) AS le,
    bool_and((enc_seal(a.n) = enc_seal(b.n)) = (a.n = b.n)) AS eq,
    bool_and((enc_seal(a.n) <> enc_seal(b.n)) = (a.n <> b.n)) AS ne,
    bool_and((enc_seal(a.n) >= enc_seal(b.n)) = (a.n >= b.n)) AS ge,
    bool_and((enc_seal(a.n) > enc_seal(b.n)) = (a.n > b.n)) AS gt,
    bool_and(enc_int4_cmp(enc_seal(a.n), enc_seal(b.n)) = sign(a.n::int8 - b.n)) AS cmp,
    bool_and(enc_int4_batch_cmp(enc_seal(a.n), enc_seal(b.n)) = sign(a.n::int8 - b.n)) AS batch
FROM numbers a, numbers b;
WITH texts (t) AS (VALUES (''), ('a'), ('ab'), ('b'), ('B'), ('ä'), ('日本'), (repeat('a', 5000)),
    (repeat('a', 4999) || 'b'))
SELECT count(*) AS pairs,
    bool_and((enc_seal(a.t) < enc_seal(b.t)) = (a.t < b.t COLLATE "C")) AS lt,
    bool_and((enc_seal(a.t) <= enc_seal(b.t)) = (a.t <= b.t COLLATE "C")) AS le,
    bool_and((enc_seal(a.t) = enc_seal(b.t)) = (a.t = b.t)) AS eq,
    bool_and((enc_seal(a.t) <> enc_seal(b.t)) = (a.t <> b.t)) AS ne,
    bool_and((enc_seal(a.t) >= enc_seal(b.t)) = (a.t >= b.t COLLATE "C")) AS ge,
    bool_and((enc_seal(a.t) > enc_seal(b.t)) = (a.t > b.t COLLATE "C")) AS gt,
    bool_and(sign(enc_text_cmp(enc_seal(a.t), enc_seal(b.t)))
        = sign(enc_text_batch_cmp(enc_seal(a.t), enc_seal(b.t)))) AS batch
FROM texts a, texts b;

SELECT enc_open(enc_seal(40) + enc_seal(2)), enc_open(enc_seal(-5) + enc_seal(5));
SELECT enc_seal(2147483647) + enc_seal(1);
SELECT enc_seal(-2147483648) + enc_seal(-1);

-- Sorts, merges, groups and distinct values.
CREATE TABLE left_side AS SELECT n, enc_seal(n % 50) AS e FROM generate_series(1, 300) n;
CREATE TABLE right_side AS SELECT n, enc_seal(n % 70) AS e FROM generate_series(1, 200) n;
SELECT bool_and(previous <= plain) AS sorted FROM (
    SELECT enc_open(e) AS plain, lag(enc_open(e)) OVER (ORDER BY e) AS previous FROM left_side
) s;
SET enable_nestloop = off;
EXPLAIN (COSTS OFF) SELECT count(*) FROM left_side l JOIN right_side r ON l.e = r.e;
SELECT count(*) FROM left_side l JOIN right_side r ON l.e = r.e;
SELECT count(*) FROM left_side l JOIN right_side r ON l.n % 50 = r.n % 70;
RESET enable_nestloop;
SELECT count(DISTINCT e) FROM left_side;
SELECT enc_open(e), count(*) FROM right_side GROUP BY e ORDER BY e LIMIT 3;
SELECT count(*) FROM left_side WHERE e IN (SELECT e FROM right_side WHERE n < 10);
SELECT count(*) FROM left_side WHERE e = ANY (ARRAY[enc_seal(1), enc_seal(2)]);
