-- B-trees of the default operator class: scans, order, uniqueness, changes.
CREATE TABLE kept (id enc_int4 PRIMARY KEY, k enc_int4, c enc_text, n int);
CREATE INDEX kept_k ON kept (k);
CREATE INDEX kept_c ON kept (c);
INSERT INTO kept
SELECT enc_seal(n), enc_seal(n * 7 % 1000), enc_seal('text ' || n % 400), n
FROM generate_series(1, 4000) n;
ANALYZE kept;
SELECT attname, null_frac, avg_width, n_distinct, most_common_vals IS NULL AS no_values,
    histogram_bounds IS NULL AS no_bounds
FROM pg_stats WHERE tablename = 'kept' AND attname <> 'n' ORDER BY 1;
PREPARE by_id (enc_int4) AS SELECT n FROM kept WHERE id = $1;
PREPARE by_range (enc_int4, enc_int4) AS SELECT count(*), sum(n) FROM kept WHERE id BETWEEN $1 AND $2;
SET plan_cache_mode = force_generic_plan;
SELECT enc_seal(77) AS e \gset
EXPLAIN (COSTS OFF) EXECUTE by_id(:'e');
EXECUTE by_id(:'e');
SELECT enc_seal(100) AS low, enc_seal(199) AS high \gset
EXECUTE by_range(:'low', :'high');
SELECT count(*) FROM kept WHERE k = sealed(7);
SELECT count(*) FROM kept WHERE c = sealed('text 12');
EXPLAIN (COSTS OFF) SELECT n FROM kept ORDER BY id LIMIT 3;
SELECT n FROM kept ORDER BY id LIMIT 3;
SELECT n FROM kept ORDER BY id DESC LIMIT 3;

-- Unique means: no plaintext twice. (The detail would show a ciphertext, each time another.)
\set VERBOSITY terse
INSERT INTO kept VALUES (enc_seal(77), enc_seal(1), enc_seal('x'), 0);
UPDATE kept SET id = sealed(78) WHERE id = sealed(77);
INSERT INTO kept VALUES (enc_seal(77), enc_seal(1), enc_seal('x'), 0)
ON CONFLICT (id) DO UPDATE SET n = kept.n + 1000000;
\set VERBOSITY default
EXECUTE by_id(:'e');

-- Changes find their rows and leave indexes that agree with the table.
UPDATE kept SET k = k + sealed(1) WHERE n <= 1000;
DELETE FROM kept WHERE id BETWEEN sealed(3001) AND sealed(3500);
SELECT count(*), enc_open(sum(k)) = sum(enc_open(k)) AS right FROM kept;
SET enable_seqscan = off;
SELECT bool_and((SELECT count(*) FROM kept WHERE k = sealed(g))
    = (SELECT count(*) FROM kept WHERE enc_open(k) = g)) AS agrees
FROM generate_series(0, 1000, 50) g;
RESET enable_seqscan;
VACUUM kept;
SELECT count(*) FROM kept WHERE id >= sealed(3490);

-- A hash join or a hash index would need a hash of the plaintext.
CREATE INDEX ON kept USING hash (id);

-- Long texts are kept out of line and compared whole.
CREATE TABLE long (t enc_text, n int);
INSERT INTO long SELECT enc_seal(repeat(md5(n::text), 200) || n), n FROM generate_series(1, 20) n;
SELECT array_agg(n ORDER BY t) = array_agg(n ORDER BY enc_open(t) COLLATE "C") AS same FROM long;

-- ANALYZE samples as many rows as of plain columns: all of 4000, and 300 where that is the target.
CREATE TABLE sampled (e enc_int4);
INSERT INTO sampled SELECT CASE WHEN n > 1 THEN enc_seal(n) END FROM generate_series(1, 4000) n;
ANALYZE sampled;
SELECT null_frac FROM pg_stats WHERE tablename = 'sampled';
ALTER TABLE sampled ALTER e SET STATISTICS 1;
ANALYZE sampled;
SELECT null_frac IN (0, (1.0 / 300)::real) AS of_300 FROM pg_stats WHERE tablename = 'sampled';
