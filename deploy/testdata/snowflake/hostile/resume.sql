-- Made by badger v1.2.3 from the values; regenerate it instead of editing it.
-- Starts the service null_.scorers.on1, with the image that it had.
USE ROLE "o""wner; DROP TABLE x --";
ALTER SERVICE IF EXISTS null_.scorers.on1 RESUME;
SHOW SERVICE CONTAINERS IN SERVICE null_.scorers.on1;
