-- Made by badger v1.2.3 from the values; regenerate it instead of editing it.
CALL analytics.badger.evaluate();
