-- Made by badger v1.2.3 from the values; regenerate it instead of editing it.
-- Starts the service analytics.badger.scorer, with the image that it had.
USE ROLE badger_owner;
ALTER SERVICE IF EXISTS analytics.badger.scorer RESUME;
SHOW SERVICE CONTAINERS IN SERVICE analytics.badger.scorer;
