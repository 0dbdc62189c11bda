-- badger in databend via flight: 15 steps, in this order. Each may be run again.

-- 1. Run by a user with CREATE ROLE and GRANT.
-- The role that may call the functions.
CREATE ROLE IF NOT EXISTS badger_caller;

-- 2. Run by a person, not as SQL.
-- The query nodes must be allowed to call badger serve: in the configuration of each, below [query].
--     enable_udf_server = true
--     udf_server_allow_list = ["https://badger.example.com"]

-- 3. Run by a user with CREATE ROLE and GRANT.
-- Databend cuts requests by rows alone. With 200 rows a request, a message fits into limits.message_bytes of badger serve (64 MiB) if the arguments of a row have less than 83 KB. For longer rows, set fewer (rows.large). A version without this setting, such as 1.2.453, sends up to 2048 rows: leave this out, and raise limits.message_bytes and limits.memory_bytes of badger serve.
SET GLOBAL external_server_request_batch_rows = 200;

-- 4. Run by a user with CREATE ROLE and GRANT.
-- small(gold_sql, agent_latency_ms): A share of it's \ "texts".
CREATE OR REPLACE FUNCTION small (VARCHAR NULL, DOUBLE NULL) RETURNS DOUBLE NULL
  LANGUAGE python HANDLER = 'small/2@databend' ADDRESS = 'https://badger.example.com'
  DESC = 'small(gold_sql, agent_latency_ms): A share of it\'s \\ "texts". [badger:a9be5b4bef355f43]';

-- 5. Run by a user with CREATE ROLE and GRANT.
-- large_json(gold_result): Evidence.
CREATE OR REPLACE FUNCTION large_json (VARIANT NULL) RETURNS VARIANT NULL
  LANGUAGE python HANDLER = 'large_json/1@databend' ADDRESS = 'https://badger.example.com'
  DESC = 'large_json(gold_result): Evidence. [badger:eb1fb1fef13829c8]';

-- 6. Run by a user with CREATE ROLE and GRANT.
-- large_json_all(gold_result, options): Evidence.
CREATE OR REPLACE FUNCTION large_json_all (VARIANT NULL, VARIANT NULL) RETURNS VARIANT NULL
  LANGUAGE python HANDLER = 'large_json/2@databend' ADDRESS = 'https://badger.example.com'
  DESC = 'large_json_all(gold_result, options): Evidence. [badger:0b8341f08a331fad]';

-- 7. Run by a user with CREATE ROLE and GRANT.
-- run_settings(metrics): What a run is made with.
CREATE OR REPLACE FUNCTION run_settings (VARCHAR NULL) RETURNS VARIANT NULL
  LANGUAGE python HANDLER = 'run_settings/1@databend' ADDRESS = 'https://badger.example.com'
  DESC = 'run_settings(metrics): What a run is made with. [badger:b84db8fef38e2c62]';

-- 8. Run by a user with CREATE ROLE and GRANT.
-- score_row(row): Scores a row.
CREATE OR REPLACE FUNCTION score_row (VARIANT NULL) RETURNS VARIANT NULL
  LANGUAGE python HANDLER = 'score_row/1@databend' ADDRESS = 'https://badger.example.com'
  DESC = 'score_row(row): Scores a row. [badger:4ff42157ecafe37c]';

-- 9. Run by a user with CREATE ROLE and GRANT.
-- score_row_all(row, metrics): Scores a row.
CREATE OR REPLACE FUNCTION score_row_all (VARIANT NULL, VARCHAR NULL) RETURNS VARIANT NULL
  LANGUAGE python HANDLER = 'score_row/2@databend' ADDRESS = 'https://badger.example.com'
  DESC = 'score_row_all(row, metrics): Scores a row. [badger:cac6abac7e2479b6]';

-- 10. Run by a user with CREATE ROLE and GRANT.
-- Callers call small.
GRANT USAGE ON UDF small TO ROLE badger_caller;

-- 11. Run by a user with CREATE ROLE and GRANT.
-- Callers call large_json.
GRANT USAGE ON UDF large_json TO ROLE badger_caller;

-- 12. Run by a user with CREATE ROLE and GRANT.
-- Callers call large_json_all.
GRANT USAGE ON UDF large_json_all TO ROLE badger_caller;

-- 13. Run by a user with CREATE ROLE and GRANT.
-- Callers call run_settings.
GRANT USAGE ON UDF run_settings TO ROLE badger_caller;

-- 14. Run by a user with CREATE ROLE and GRANT.
-- Callers call score_row.
GRANT USAGE ON UDF score_row TO ROLE badger_caller;

-- 15. Run by a user with CREATE ROLE and GRANT.
-- Callers call score_row_all.
GRANT USAGE ON UDF score_row_all TO ROLE badger_caller;


-- Drop badger from databend via flight. Scores, labels and all other data of badger go too.

-- Run by a user with CREATE ROLE and GRANT.
DROP FUNCTION IF EXISTS score_row_all;

-- Run by a user with CREATE ROLE and GRANT.
DROP FUNCTION IF EXISTS score_row;

-- Run by a user with CREATE ROLE and GRANT.
DROP FUNCTION IF EXISTS run_settings;

-- Run by a user with CREATE ROLE and GRANT.
DROP FUNCTION IF EXISTS large_json_all;

-- Run by a user with CREATE ROLE and GRANT.
DROP FUNCTION IF EXISTS large_json;

-- Run by a user with CREATE ROLE and GRANT.
DROP FUNCTION IF EXISTS small;

-- Run by a user with CREATE ROLE and GRANT.
UNSET GLOBAL external_server_request_batch_rows;

-- Run by a user with CREATE ROLE and GRANT.
-- Omit this if the role existed before badger, or has another use.
DROP ROLE IF EXISTS badger_caller;
