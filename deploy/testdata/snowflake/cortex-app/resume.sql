-- Made by badger v1.2.3 from the values; regenerate it instead of editing it.
-- Starts the service provider.scorers.badger, with the image that it had.
USE ROLE badger_owner;
ALTER SERVICE IF EXISTS provider.scorers.badger RESUME;
SHOW SERVICE CONTAINERS IN SERVICE provider.scorers.badger;
