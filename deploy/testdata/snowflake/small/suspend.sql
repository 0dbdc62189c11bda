-- Made by badger v1.2.3 from the values; regenerate it instead of editing it.
-- Stops the service analytics.badger.badger. Its pool stops 600 s later, and then costs nothing.
-- A call of a function starts both again: to keep callers out, take the right to call away first.
USE ROLE badger_owner;
ALTER SERVICE IF EXISTS analytics.badger.badger SUSPEND;
