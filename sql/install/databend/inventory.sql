SELECT name, COALESCE(description, '') AS comment FROM system.user_functions
