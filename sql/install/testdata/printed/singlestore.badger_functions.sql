-- Made by badger 1.0.0: badger_functions.sql
-- SingleStore sends {"data": [[row, argument, …], …]} and reads {"data": [[row, result], …]}, as Snowflake does.
-- A link holds the token: CREATE LINK badger AS HTTP CREDENTIALS '{}' CONFIG '{"headers": {"x-badger-token": "…"}}';
-- The global variable enable_external_functions must be ON.

-- A share of it's \ "texts".
CREATE OR REPLACE EXTERNAL FUNCTION small(gold_sql LONGTEXT NULL, agent_latency_ms DOUBLE NULL) RETURNS DOUBLE NULL
AS REMOTE SERVICE "https://badger.example.com:7433/v1/snowflake/small" FORMAT JSON LINK badger;

-- Evidence.
CREATE OR REPLACE EXTERNAL FUNCTION large_json(gold_result JSON NULL) RETURNS JSON NULL
AS REMOTE SERVICE "https://badger.example.com:7433/v1/snowflake/large_json" FORMAT JSON LINK badger;

-- Evidence.
CREATE OR REPLACE EXTERNAL FUNCTION large_json_all(gold_result JSON NULL, options JSON NULL) RETURNS JSON NULL
AS REMOTE SERVICE "https://badger.example.com:7433/v1/snowflake/large_json" FORMAT JSON LINK badger;

-- What a run is made with.
CREATE OR REPLACE EXTERNAL FUNCTION run_settings(metrics LONGTEXT NULL) RETURNS JSON NULL
AS REMOTE SERVICE "https://badger.example.com:7433/v1/snowflake/run_settings" FORMAT JSON LINK badger;

-- Scores a row.
CREATE OR REPLACE EXTERNAL FUNCTION score_row(`row` JSON NULL) RETURNS JSON NULL
AS REMOTE SERVICE "https://badger.example.com:7433/v1/snowflake/score_row" FORMAT JSON LINK badger;

-- Scores a row.
CREATE OR REPLACE EXTERNAL FUNCTION score_row_all(`row` JSON NULL, metrics LONGTEXT NULL) RETURNS JSON NULL
AS REMOTE SERVICE "https://badger.example.com:7433/v1/snowflake/score_row" FORMAT JSON LINK badger;
