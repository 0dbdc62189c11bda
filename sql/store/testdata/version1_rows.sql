INSERT INTO badger.golden_set (case_id, question, gold_result, set_version) VALUES ('c1', 'one?', '{"columns": ["n"], "rows": [[1]]}', '1'), ('c2', NULL, NULL, '1');
INSERT INTO badger.agent_runs (agent_name, agent_version, batch_id, case_id, result) VALUES ('a', '1', 'mon', 'c1', '{"columns": ["n"], "rows": [[1.10]]}'), ('a', '1', 'mon', 'c2', NULL);
INSERT INTO badger.human_labels VALUES ('c1', 'a', 'mon', 'kim', 'pass', 'it''s right', TIMESTAMPTZ '2025-01-01 00:00:00Z'), ('c2', 'a', 'mon', 'kim', 'fail', NULL, NULL);
INSERT INTO badger.eval_runs VALUES ('old', 'a', '1', 'mon', TIMESTAMPTZ '2025-01-01 00:00:00Z', 'both', '{}', 'none', '{}', '{"ok": 1}', '{"calls": 0, "in": 0, "out": 0}', '{}', 'stopped');
INSERT INTO badger.scores VALUES ('old', 'c1', 'a', '1', 'mon', 'ex_bird', 1, 'ok', 0.5, NULL, true, 'equal', '{"rows": 1}', NULL, 'h', TIMESTAMPTZ '2025-01-01 00:00:01Z', NULL), ('old', 'c2', 'a', '1', 'mon', 'ex_bird', 1, 'failed', NULL, NULL, NULL, 'no table', NULL, NULL, 'h', TIMESTAMPTZ '2025-01-01 00:00:01Z', 'invalid_argument');
INSERT INTO badger.assessments VALUES ('id', 'rose', 'openai', 'o3', 'rose-1', 'rh', 'reply', 1, 2, 3, TIMESTAMPTZ '2025-01-01 00:00:00Z', NULL)
