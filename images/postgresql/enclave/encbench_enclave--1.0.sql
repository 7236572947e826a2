-- encbench_enclave 1.0. A SIMULATION: the cryptography is real, the enclave is not.
\echo Use "CREATE EXTENSION encbench_enclave" to load this file. \quit

CREATE FUNCTION enc_typanalyze(internal) RETURNS boolean
    LANGUAGE C STRICT AS 'MODULE_PATHNAME';

-- An encrypted integer. There is no hash support: a hash would show equality to whoever sees it.
CREATE TYPE enc_int4;
CREATE FUNCTION enc_int4_in(cstring) RETURNS enc_int4
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION enc_int4_out(enc_int4) RETURNS cstring
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION enc_int4_recv(internal) RETURNS enc_int4
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION enc_int4_send(enc_int4) RETURNS bytea
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE TYPE enc_int4 (
    INPUT = enc_int4_in, OUTPUT = enc_int4_out, RECEIVE = enc_int4_recv, SEND = enc_int4_send,
    ANALYZE = enc_typanalyze, INTERNALLENGTH = 36, ALIGNMENT = char, STORAGE = plain
);

CREATE FUNCTION enc_int4_lt(enc_int4, enc_int4) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 500 AS 'MODULE_PATHNAME';
CREATE FUNCTION enc_int4_le(enc_int4, enc_int4) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 500 AS 'MODULE_PATHNAME';
CREATE FUNCTION enc_int4_eq(enc_int4, enc_int4) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 500 AS 'MODULE_PATHNAME';
CREATE FUNCTION enc_int4_ne(enc_int4, enc_int4) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 500 AS 'MODULE_PATHNAME';
CREATE FUNCTION enc_int4_ge(enc_int4, enc_int4) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 500 AS 'MODULE_PATHNAME';
CREATE FUNCTION enc_int4_gt(enc_int4, enc_int4) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 500 AS 'MODULE_PATHNAME';
CREATE FUNCTION enc_int4_cmp(enc_int4, enc_int4) RETURNS int4
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 500 AS 'MODULE_PATHNAME';
CREATE FUNCTION enc_int4_batch_cmp(enc_int4, enc_int4) RETURNS int4
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 500 AS 'MODULE_PATHNAME';

CREATE OPERATOR < (
    FUNCTION = enc_int4_lt, LEFTARG = enc_int4, RIGHTARG = enc_int4, COMMUTATOR = >, NEGATOR = >=,
    RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
CREATE OPERATOR <= (
    FUNCTION = enc_int4_le, LEFTARG = enc_int4, RIGHTARG = enc_int4, COMMUTATOR = >=, NEGATOR = >,
    RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
CREATE OPERATOR = (
    FUNCTION = enc_int4_eq, LEFTARG = enc_int4, RIGHTARG = enc_int4, COMMUTATOR = =, NEGATOR = <>,
    RESTRICT = eqsel, JOIN = eqjoinsel, MERGES
);
CREATE OPERATOR <> (
    FUNCTION = enc_int4_ne, LEFTARG = enc_int4, RIGHTARG = enc_int4, COMMUTATOR = <>, NEGATOR = =,
    RESTRICT = neqsel, JOIN = neqjoinsel
);
CREATE OPERATOR >= (
    FUNCTION = enc_int4_ge, LEFTARG = enc_int4, RIGHTARG = enc_int4, COMMUTATOR = <=, NEGATOR = <,
    RESTRICT = scalargesel, JOIN = scalargejoinsel
);
CREATE OPERATOR > (
    FUNCTION = enc_int4_gt, LEFTARG = enc_int4, RIGHTARG = enc_int4, COMMUTATOR = <, NEGATOR = <=,
    RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);

CREATE OPERATOR CLASS enc_int4_ops DEFAULT FOR TYPE enc_int4 USING btree AS
    OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
    FUNCTION 1 enc_int4_cmp(enc_int4, enc_int4);
CREATE OPERATOR CLASS enc_int4_batch_ops FOR TYPE enc_int4 USING btree AS
    OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
    FUNCTION 1 enc_int4_batch_cmp(enc_int4, enc_int4);

-- An encrypted text, in the order of its bytes. Ciphertext is not worth compressing.
CREATE TYPE enc_text;
CREATE FUNCTION enc_text_in(cstring) RETURNS enc_text
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION enc_text_out(enc_text) RETURNS cstring
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION enc_text_recv(internal) RETURNS enc_text
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION enc_text_send(enc_text) RETURNS bytea
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE TYPE enc_text (
    INPUT = enc_text_in, OUTPUT = enc_text_out, RECEIVE = enc_text_recv, SEND = enc_text_send,
    ANALYZE = enc_typanalyze, INTERNALLENGTH = VARIABLE, ALIGNMENT = int4, STORAGE = external
);

CREATE FUNCTION enc_text_lt(enc_text, enc_text) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 500 AS 'MODULE_PATHNAME';
CREATE FUNCTION enc_text_le(enc_text, enc_text) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 500 AS 'MODULE_PATHNAME';
CREATE FUNCTION enc_text_eq(enc_text, enc_text) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 500 AS 'MODULE_PATHNAME';
CREATE FUNCTION enc_text_ne(enc_text, enc_text) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 500 AS 'MODULE_PATHNAME';
CREATE FUNCTION enc_text_ge(enc_text, enc_text) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 500 AS 'MODULE_PATHNAME';
CREATE FUNCTION enc_text_gt(enc_text, enc_text) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 500 AS 'MODULE_PATHNAME';
CREATE FUNCTION enc_text_cmp(enc_text, enc_text) RETURNS int4
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 500 AS 'MODULE_PATHNAME';
CREATE FUNCTION enc_text_batch_cmp(enc_text, enc_text) RETURNS int4
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 500 AS 'MODULE_PATHNAME';

CREATE OPERATOR < (
    FUNCTION = enc_text_lt, LEFTARG = enc_text, RIGHTARG = enc_text, COMMUTATOR = >, NEGATOR = >=,
    RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
CREATE OPERATOR <= (
    FUNCTION = enc_text_le, LEFTARG = enc_text, RIGHTARG = enc_text, COMMUTATOR = >=, NEGATOR = >,
    RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
CREATE OPERATOR = (
    FUNCTION = enc_text_eq, LEFTARG = enc_text, RIGHTARG = enc_text, COMMUTATOR = =, NEGATOR = <>,
    RESTRICT = eqsel, JOIN = eqjoinsel, MERGES
);
CREATE OPERATOR <> (
    FUNCTION = enc_text_ne, LEFTARG = enc_text, RIGHTARG = enc_text, COMMUTATOR = <>, NEGATOR = =,
    RESTRICT = neqsel, JOIN = neqjoinsel
);
CREATE OPERATOR >= (
    FUNCTION = enc_text_ge, LEFTARG = enc_text, RIGHTARG = enc_text, COMMUTATOR = <=, NEGATOR = <,
    RESTRICT = scalargesel, JOIN = scalargejoinsel
);
CREATE OPERATOR > (
    FUNCTION = enc_text_gt, LEFTARG = enc_text, RIGHTARG = enc_text, COMMUTATOR = <, NEGATOR = <=,
    RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);

CREATE OPERATOR CLASS enc_text_ops DEFAULT FOR TYPE enc_text USING btree AS
    OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
    FUNCTION 1 enc_text_cmp(enc_text, enc_text);
CREATE OPERATOR CLASS enc_text_batch_ops FOR TYPE enc_text USING btree AS
    OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
    FUNCTION 1 enc_text_batch_cmp(enc_text, enc_text);

-- VOLATILE: the same sum has a new nonce each time.
CREATE FUNCTION enc_int4_add(enc_int4, enc_int4) RETURNS enc_int4
    LANGUAGE C VOLATILE STRICT PARALLEL SAFE COST 500 AS 'MODULE_PATHNAME';
CREATE OPERATOR + (
    FUNCTION = enc_int4_add, LEFTARG = enc_int4, RIGHTARG = enc_int4, COMMUTATOR = +
);

CREATE FUNCTION enc_sum_add(internal, enc_int4) RETURNS internal
    LANGUAGE C PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION enc_sum_combine(internal, internal) RETURNS internal
    LANGUAGE C PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION enc_sum_serialize(internal) RETURNS bytea
    LANGUAGE C STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION enc_sum_deserialize(bytea, internal) RETURNS internal
    LANGUAGE C STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION enc_sum_final(internal) RETURNS enc_int4
    LANGUAGE C PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE AGGREGATE sum(enc_int4) (
    SFUNC = enc_sum_add, STYPE = internal, SSPACE = 9300, FINALFUNC = enc_sum_final,
    COMBINEFUNC = enc_sum_combine, SERIALFUNC = enc_sum_serialize,
    DESERIALFUNC = enc_sum_deserialize, PARALLEL = SAFE
);

-- How often this process has crossed the boundary, and how many values it has opened or sealed.
-- A session's parallel workers are processes of their own, so their crossings are not among them.
CREATE FUNCTION enclave_crossings(OUT transitions bigint, OUT "values" bigint)
    LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED AS 'MODULE_PATHNAME';

-- The boundary's costs as set, and as measured now: medians of so many rounds, in nanoseconds.
CREATE FUNCTION enclave_calibrate(
    rounds integer DEFAULT 1000,
    OUT transition_asked integer, OUT transition_achieved double precision,
    OUT value_asked integer, OUT value_achieved double precision
) LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED AS 'MODULE_PATHNAME';
REVOKE ALL ON FUNCTION enclave_calibrate(integer) FROM PUBLIC;
