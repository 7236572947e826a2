-- Costs as the server's files have them for these tests: off.
SHOW encbench_enclave.transition_ns;
SHOW encbench_enclave.value_ns;
SELECT transition_asked, value_asked, transition_achieved < 2000 AS transition,
    value_achieved < 2000 AS value
FROM enclave_calibrate(200);
-- And then kept to, by real crossings.
SET encbench_enclave.transition_ns = 20000;
SET encbench_enclave.value_ns = 3000;
SELECT transition_asked, abs(transition_achieved / 20000 - 1) < 0.05 AS transition,
    value_asked, abs(value_achieved / 3000 - 1) < 0.05 AS value
FROM enclave_calibrate(200);
SET encbench_enclave.transition_ns = 0;
SELECT transition_asked, transition_achieved < 2000 AS transition, value_asked,
    abs(value_achieved / 3000 - 1) < 0.05 AS value
FROM enclave_calibrate(200);
-- A thousand comparisons take no less than their cost.
SET encbench_enclave.transition_ns = 20000;
CREATE TABLE timed (began timestamptz);
INSERT INTO timed VALUES (clock_timestamp());
SELECT count(*) FROM (SELECT enc_seal(n) AS e FROM generate_series(1, 1000) n OFFSET 0) s
WHERE e > (SELECT enc_seal(1000));
SELECT clock_timestamp() - began >= interval '26 milliseconds' AS paid FROM timed;
RESET encbench_enclave.transition_ns;
RESET encbench_enclave.value_ns;
-- Without a cost nothing crosses.
SET encbench_enclave.transition_ns = -1;
SELECT enc_seal(1) < enc_seal(2);
RESET encbench_enclave.transition_ns;
SET encbench_enclave.value_ns = -1;
SELECT enc_seal(1) + enc_seal(2);
RESET encbench_enclave.value_ns;
-- Limits.
SET encbench_enclave.transition_ns = 1000001;
SET encbench_enclave.value_ns = -2;
SELECT enclave_calibrate(0);
SET encbench_enclave.key_file = '/elsewhere';
SET encbench_enclave.no_such_setting = 1;
