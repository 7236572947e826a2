-- NULL stays NULL: it is not encrypted, and no operator sees it.
CREATE TABLE with_nulls (n int, i enc_int4, t enc_text);
INSERT INTO with_nulls
SELECT n, CASE WHEN n % 3 > 0 THEN enc_seal(n) END, CASE WHEN n % 4 > 0 THEN enc_seal(n::text) END
FROM generate_series(1, 600) n;
SELECT NULL::enc_int4 < enc_seal(1) IS NULL AS lt, enc_seal('a') = NULL::enc_text IS NULL AS eq,
    enc_seal(1) + NULL IS NULL AS add;
SELECT count(*), count(i), count(t) FROM with_nulls;
SELECT enc_open(sum(i)) = (SELECT sum(n) FROM with_nulls WHERE n % 3 > 0) AS sum,
    sum(i) FILTER (WHERE n % 3 = 0) IS NULL AS of_nulls, sum(i) FILTER (WHERE n < 0) IS NULL AS of_none
FROM with_nulls;

-- In indexes, wherever they stand and whichever operator class there is.
SET enable_seqscan = off;
SET enable_bitmapscan = off;
CREATE FUNCTION agrees() RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    form text;
    bad int;
BEGIN
    FOREACH form IN ARRAY ARRAY['', 'DESC', 'NULLS FIRST', 'DESC NULLS LAST'] LOOP
        EXECUTE 'CREATE INDEX probed_i ON with_nulls (i enc_int4_batch_ops ' || form || ')';
        EXECUTE 'CREATE INDEX probed_t ON with_nulls (t enc_text_batch_ops ' || form || ')';
        SELECT count(*) INTO bad FROM generate_series(0, 601, 7) g WHERE
            (SELECT count(*) FROM with_nulls WHERE i = sealed(g))
                <> (SELECT count(*) FROM with_nulls WHERE n % 3 > 0 AND n = g)
            OR (SELECT count(*) FROM with_nulls WHERE i BETWEEN sealed(g) AND sealed(g + 50))
                <> (SELECT count(*) FROM with_nulls WHERE n % 3 > 0 AND n BETWEEN g AND g + 50)
            OR (SELECT count(*) FROM with_nulls WHERE t >= sealed(g::text))
                <> (SELECT count(*) FROM with_nulls WHERE n % 4 > 0 AND n::text >= g::text COLLATE "C");
        RETURN NEXT format('%s: %s wrong', form, bad);
        RETURN NEXT (SELECT count(*) FROM with_nulls WHERE i IS NULL)::text || ' NULL';
        DROP INDEX probed_i, probed_t;
    END LOOP;
END $$;
SELECT agrees();
