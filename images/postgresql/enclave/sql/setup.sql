-- The server's key is 000102030405060708090a0b0c0d0e0f. enclave_client stands for the client.
CREATE EXTENSION encbench_enclave;
CREATE EXTENSION enclave_client;
SELECT obj_description(oid, 'pg_extension') LIKE 'SIMULATION%' AS says_so
FROM pg_extension WHERE extname = 'encbench_enclave';
-- No function takes a plaintext, and none gives one, but the order of two values.
SELECT p.oid::regprocedure FROM pg_depend d JOIN pg_proc p ON p.oid = d.objid
WHERE d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'encbench_enclave')
    AND d.classid = 'pg_proc'::regclass
    AND ('int4'::regtype = ANY (proargtypes) OR 'text'::regtype = ANY (proargtypes)
        OR prorettype IN ('int4'::regtype, 'text'::regtype))
ORDER BY 1;
-- Shape of what is stored.
SELECT typname, typlen, typalign, typstorage FROM pg_type
WHERE typname IN ('enc_int4', 'enc_text') ORDER BY 1;
-- A key for an index scan: sealed once, at its start. (enc_seal itself is volatile.)
CREATE FUNCTION sealed(int) RETURNS enc_int4 LANGUAGE sql STABLE AS 'SELECT enc_seal($1)';
CREATE FUNCTION sealed(text) RETURNS enc_text LANGUAGE sql STABLE AS 'SELECT enc_seal($1)';
