-- Costs belong to superusers, whether or not the session has loaded the module.
CREATE ROLE enclave_user;
GRANT ALL ON ALL TABLES IN SCHEMA public TO enclave_user;
SET ROLE enclave_user;
SET encbench_enclave.transition_ns = 100;
SELECT enclave_calibrate();
SELECT n FROM kept WHERE id = sealed(5);
SELECT transitions > 0 AS counted FROM enclave_crossings();
\c -
SET SESSION AUTHORIZATION enclave_user;
SET encbench_enclave.value_ns = 100000;
SELECT enc_seal(1) = enc_seal(1) AS equal;
SHOW encbench_enclave.value_ns;
RESET SESSION AUTHORIZATION;
DROP OWNED BY enclave_user;
DROP ROLE enclave_user;
