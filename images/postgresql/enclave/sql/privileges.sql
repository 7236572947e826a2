-- Costs belong to superusers.
CREATE ROLE enclave_user;
GRANT ALL ON ALL TABLES IN SCHEMA public TO enclave_user;
SET ROLE enclave_user;
SET encbench_enclave.transition_ns = 100;
SELECT enclave_calibrate();
SELECT n FROM kept WHERE id = sealed(5);
SELECT transitions > 0 AS counted FROM enclave_crossings();
RESET ROLE;
DROP OWNED BY enclave_user;
DROP ROLE enclave_user;
