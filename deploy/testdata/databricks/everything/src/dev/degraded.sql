-- Made by badger v1.2.3 from the values; make it again instead of editing it.
-- Fails where fewer answers pass than in the batch before, so that the job's notification tells of it.
SELECT raise_error(concat_ws('; ', collect_list(concat(agent_name, ', ', metric, ', batch ', batch_id))))
FROM analytics_try.badger.degradation
WHERE pass_rate_change <= -0.1 OR failed > failed_before
HAVING COUNT(*) > 0;
