-- Made by badger v1.2.3 from the values; regenerate it instead of editing it.
-- Fails if fewer answers pass than in the previous batch, so that the job sends a notification.
SELECT raise_error(concat_ws('; ', collect_list(concat(agent_name, ', ', metric, ', batch ', batch_id))))
FROM analytics_try.badger.degradation
WHERE pass_rate_change <= -0.1 OR failed > failed_before
HAVING COUNT(*) > 0;
