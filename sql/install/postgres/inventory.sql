SELECT p.proname::text AS name, COALESCE(obj_description(p.oid, 'pg_proc'), '') AS comment FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
WHERE n.nspname = {{lit .Values.Schema}}
