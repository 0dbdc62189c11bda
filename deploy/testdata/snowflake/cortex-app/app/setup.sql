-- Made by badger v1.2.3 from the values; regenerate it instead of editing it.
-- The setup script of the Native App. It runs when the application is installed and at each upgrade, and may run again at any time.

-- Roles and their grants.
CREATE APPLICATION ROLE IF NOT EXISTS badger_owner COMMENT = 'badger: owns badger\'s objects';
CREATE APPLICATION ROLE IF NOT EXISTS badger_caller COMMENT = 'badger: may call the functions';
CREATE APPLICATION ROLE IF NOT EXISTS badger_reader COMMENT = 'badger: reads scores and views';
CREATE APPLICATION ROLE IF NOT EXISTS badger_annotator COMMENT = 'badger: writes labels, and nothing else';

-- Code only, of this version. Data and the service outlive it.
CREATE OR ALTER VERSIONED SCHEMA code;
GRANT USAGE ON SCHEMA code TO APPLICATION ROLE badger_owner;

-- Everything that stays: the service, its functions, the tables.
CREATE SCHEMA IF NOT EXISTS scorers;
GRANT USAGE ON SCHEMA scorers TO APPLICATION ROLE badger_owner;



-- Creates the functions, which need the service.
CREATE OR REPLACE PROCEDURE code.create_functions()
  RETURNS VARCHAR
  LANGUAGE SQL
  EXECUTE AS OWNER
AS $$
BEGIN

CREATE OR REPLACE FUNCTION scorers.badger_version()
  RETURNS VARCHAR
  CALLED ON NULL INPUT
  IMMUTABLE
  COMMENT = 'The version of badger that answers. [badger:c926695c9ea988ac]'
  SERVICE = scorers.badger
  ENDPOINT = 'api'
  CONTEXT_HEADERS = (CURRENT_ACCOUNT, CURRENT_USER, CURRENT_ROLE)
  MAX_BATCH_ROWS = 2000
  ON_BATCH_FAILURE = ABORT
  BATCH_TIMEOUT_SECS = 900
  AS '/v1/snowflake/badger_version';

CREATE OR REPLACE FUNCTION scorers.hybrid_ex(gold_result VARCHAR, agent_result VARCHAR)
  RETURNS FLOAT
  CALLED ON NULL INPUT
  IMMUTABLE
  COMMENT = 'Share of the gold result\'s cells that the agent\'s result contains. Column names, order, rounding and formats do not matter. [badger:15f1448c1c6bf8e1]'
  SERVICE = scorers.badger
  ENDPOINT = 'api'
  CONTEXT_HEADERS = (CURRENT_ACCOUNT, CURRENT_USER, CURRENT_ROLE)
  MAX_BATCH_ROWS = 500
  ON_BATCH_FAILURE = ABORT
  BATCH_TIMEOUT_SECS = 900
  AS '/v1/snowflake/hybrid_ex';

CREATE OR REPLACE FUNCTION scorers.hybrid_ex(gold_result VARCHAR, agent_result VARCHAR, options VARIANT, dialect VARCHAR, expected_behaviour VARCHAR, question VARCHAR, gold_sql VARCHAR, agent_sql VARCHAR, sql_error VARCHAR, evidence VARCHAR, schema_ddl VARCHAR, gold_error VARCHAR)
  RETURNS FLOAT
  CALLED ON NULL INPUT
  IMMUTABLE
  COMMENT = 'Share of the gold result\'s cells that the agent\'s result contains. Column names, order, rounding and formats do not matter. [badger:4dd9825f46d057af]'
  SERVICE = scorers.badger
  ENDPOINT = 'api'
  CONTEXT_HEADERS = (CURRENT_ACCOUNT, CURRENT_USER, CURRENT_ROLE)
  MAX_BATCH_ROWS = 500
  ON_BATCH_FAILURE = ABORT
  BATCH_TIMEOUT_SECS = 900
  AS '/v1/snowflake/hybrid_ex';

CREATE OR REPLACE FUNCTION scorers.hybrid_ex_json(gold_result VARCHAR, agent_result VARCHAR)
  RETURNS VARIANT NOT NULL
  CALLED ON NULL INPUT
  IMMUTABLE
  COMMENT = 'The whole score of hybrid_ex as JSON: status, value, label, passed, reason, code, detail. [badger:26f67ebb10ec3172]'
  SERVICE = scorers.badger
  ENDPOINT = 'api'
  CONTEXT_HEADERS = (CURRENT_ACCOUNT, CURRENT_USER, CURRENT_ROLE)
  MAX_BATCH_ROWS = 500
  ON_BATCH_FAILURE = ABORT
  BATCH_TIMEOUT_SECS = 900
  AS '/v1/snowflake/hybrid_ex_json';

CREATE OR REPLACE FUNCTION scorers.hybrid_ex_json(gold_result VARCHAR, agent_result VARCHAR, options VARIANT, dialect VARCHAR, expected_behaviour VARCHAR, question VARCHAR, gold_sql VARCHAR, agent_sql VARCHAR, sql_error VARCHAR, evidence VARCHAR, schema_ddl VARCHAR, gold_error VARCHAR)
  RETURNS VARIANT NOT NULL
  CALLED ON NULL INPUT
  IMMUTABLE
  COMMENT = 'The whole score of hybrid_ex as JSON: status, value, label, passed, reason, code, detail. [badger:50337cf390c78dfd]'
  SERVICE = scorers.badger
  ENDPOINT = 'api'
  CONTEXT_HEADERS = (CURRENT_ACCOUNT, CURRENT_USER, CURRENT_ROLE)
  MAX_BATCH_ROWS = 500
  ON_BATCH_FAILURE = ABORT
  BATCH_TIMEOUT_SECS = 900
  AS '/v1/snowflake/hybrid_ex_json';

CREATE OR REPLACE FUNCTION scorers.run_settings()
  RETURNS VARIANT NOT NULL
  CALLED ON NULL INPUT
  VOLATILE
  COMMENT = 'The contents of a row of badger.eval_runs before the run starts, as a JSON object: metrics (a list), versions, config, judge; reason states why the metrics cannot be scored. [badger:b7551c773d697b54]'
  SERVICE = scorers.badger
  ENDPOINT = 'api'
  CONTEXT_HEADERS = (CURRENT_ACCOUNT, CURRENT_USER, CURRENT_ROLE)
  MAX_BATCH_ROWS = 2000
  ON_BATCH_FAILURE = ABORT
  BATCH_TIMEOUT_SECS = 900
  AS '/v1/snowflake/run_settings';

CREATE OR REPLACE FUNCTION scorers.run_settings(metrics VARCHAR)
  RETURNS VARIANT NOT NULL
  CALLED ON NULL INPUT
  VOLATILE
  COMMENT = 'The contents of a row of badger.eval_runs before the run starts, as a JSON object: metrics (a list), versions, config, judge; reason states why the metrics cannot be scored. [badger:f483c8acd96330df]'
  SERVICE = scorers.badger
  ENDPOINT = 'api'
  CONTEXT_HEADERS = (CURRENT_ACCOUNT, CURRENT_USER, CURRENT_ROLE)
  MAX_BATCH_ROWS = 2000
  ON_BATCH_FAILURE = ABORT
  BATCH_TIMEOUT_SECS = 900
  AS '/v1/snowflake/run_settings';

CREATE OR REPLACE FUNCTION scorers.score_row(row_json VARIANT)
  RETURNS VARIANT NOT NULL
  CALLED ON NULL INPUT
  VOLATILE
  COMMENT = 'Scores one answer as badger run does and returns a JSON array of rows of badger.scores. [badger:c7afdfac73b37a8f]'
  SERVICE = scorers.badger
  ENDPOINT = 'api'
  CONTEXT_HEADERS = (CURRENT_ACCOUNT, CURRENT_USER, CURRENT_ROLE)
  MAX_BATCH_ROWS = 200
  ON_BATCH_FAILURE = ABORT
  BATCH_TIMEOUT_SECS = 900
  AS '/v1/snowflake/score_row';

CREATE OR REPLACE FUNCTION scorers.score_row(row_json VARIANT, metrics VARCHAR)
  RETURNS VARIANT NOT NULL
  CALLED ON NULL INPUT
  VOLATILE
  COMMENT = 'Scores one answer as badger run does and returns a JSON array of rows of badger.scores. [badger:44c5fa39e7bc4a1e]'
  SERVICE = scorers.badger
  ENDPOINT = 'api'
  CONTEXT_HEADERS = (CURRENT_ACCOUNT, CURRENT_USER, CURRENT_ROLE)
  MAX_BATCH_ROWS = 200
  ON_BATCH_FAILURE = ABORT
  BATCH_TIMEOUT_SECS = 900
  AS '/v1/snowflake/score_row';

GRANT USAGE ON SCHEMA scorers TO APPLICATION ROLE badger_caller;

GRANT USAGE ON ALL FUNCTIONS IN SCHEMA scorers TO APPLICATION ROLE badger_caller;

  RETURN '9 functions';
END
$$;

-- Makes the pool, the warehouse, the service and the functions, or brings them to this version.
CREATE OR REPLACE PROCEDURE code.start()
  RETURNS VARCHAR
  LANGUAGE SQL
  EXECUTE AS OWNER
AS $$
DECLARE
  pool VARCHAR DEFAULT CURRENT_DATABASE() || '_pool';
  wh VARCHAR DEFAULT CURRENT_DATABASE() || '_wh';
  statement VARCHAR;
  made VARCHAR;
BEGIN
  CREATE COMPUTE POOL IF NOT EXISTS IDENTIFIER(:pool) MIN_NODES = 1 MAX_NODES = 1 INSTANCE_FAMILY = CPU_X64_XS AUTO_RESUME = TRUE AUTO_SUSPEND_SECS = 600;
  CREATE WAREHOUSE IF NOT EXISTS IDENTIFIER(:wh) WAREHOUSE_SIZE = XSMALL AUTO_SUSPEND = 60 AUTO_RESUME = TRUE INITIALLY_SUSPENDED = TRUE;
  statement := 'CREATE SERVICE IF NOT EXISTS scorers.badger IN COMPUTE POOL ' || pool
    || ' FROM SPECIFICATION_FILE = \'/service.yaml\' QUERY_WAREHOUSE = ' || wh;
  EXECUTE IMMEDIATE :statement;
  ALTER SERVICE scorers.badger UNSET EXTERNAL_ACCESS_INTEGRATIONS;
  ALTER SERVICE scorers.badger SET
    MIN_INSTANCES = 1 MAX_INSTANCES = 1 MIN_READY_INSTANCES = 1
    AUTO_SUSPEND_SECS = 0 AUTO_RESUME = TRUE COMMENT = 'badger serve, which answers badger\'s functions';
  ALTER SERVICE scorers.badger FROM SPECIFICATION_FILE = '/service.yaml';
  ALTER SERVICE scorers.badger RESUME;
  CALL code.create_functions() INTO :made;
  RETURN 'the service starts; ' || made;
END
$$;
GRANT USAGE ON PROCEDURE code.start() TO APPLICATION ROLE badger_owner;

-- Stops the service and the pool. Nothing is lost.
CREATE OR REPLACE PROCEDURE code.stop()
  RETURNS VARCHAR
  LANGUAGE SQL
  EXECUTE AS OWNER
AS $$
DECLARE
  pool VARCHAR DEFAULT CURRENT_DATABASE() || '_pool';
BEGIN
  ALTER SERVICE IF EXISTS scorers.badger SUSPEND;
  ALTER COMPUTE POOL IF EXISTS IDENTIFIER(:pool) SUSPEND;
  RETURN 'stopped';
END
$$;
GRANT USAGE ON PROCEDURE code.stop() TO APPLICATION ROLE badger_owner;

-- Called when the consumer grants privileges.
CREATE OR REPLACE PROCEDURE code.on_grant(privileges ARRAY)
  RETURNS VARCHAR
  LANGUAGE SQL
  EXECUTE AS OWNER
AS $$
BEGIN
  IF (ARRAY_CONTAINS('CREATE COMPUTE POOL'::VARIANT, privileges)) THEN
    CALL code.start();
  END IF;
  RETURN 'done';
END
$$;
GRANT USAGE ON PROCEDURE code.on_grant(ARRAY) TO APPLICATION ROLE badger_owner;

-- Called after each installation and upgrade: upgrades an existing service to this version.
CREATE OR REPLACE PROCEDURE code.on_version()
  RETURNS VARCHAR
  LANGUAGE SQL
  EXECUTE AS OWNER
AS $$
DECLARE
  n INTEGER;
BEGIN
  SHOW SERVICES IN SCHEMA scorers;
  SELECT COUNT(*) INTO :n FROM TABLE(RESULT_SCAN(LAST_QUERY_ID())) WHERE UPPER("name") = UPPER('badger');
  IF (n > 0) THEN
    CALL code.start();
  END IF;
  RETURN 'done';
END
$$;
