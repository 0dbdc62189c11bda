--- owner: The functions belong to the owner, whoever ran this; and they may be called by callers only.
DO $badger$
DECLARE f record;
BEGIN
  FOR f IN
    SELECT p.oid::regprocedure AS name FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
    WHERE n.nspname = {{lit .Values.Schema}} AND obj_description(p.oid, 'pg_proc') LIKE '%[badger:%'
  LOOP
    EXECUTE format('ALTER FUNCTION %s OWNER TO %I', f.name, {{lit .Values.Roles.Owner}});
    EXECUTE 'REVOKE ALL ON FUNCTION ' || f.name || ' FROM PUBLIC';
    EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %I', f.name, {{lit .Values.Roles.Caller}});
  END LOOP;
END $badger$
--- admin: Callers find the schema.
--- drop: REVOKE USAGE ON SCHEMA {{.SchemaName}} FROM {{id .Values.Roles.Caller}}
GRANT USAGE ON SCHEMA {{.SchemaName}} TO {{id .Values.Roles.Caller}}
