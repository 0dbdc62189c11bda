-- Made by badger v1.2.3 from the values; regenerate it instead of editing it.
-- Fails with new alerts, each of them once, so that the task sends a notification.
CALL analytics.badger.send_alerts();
