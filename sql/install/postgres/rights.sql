{{range $i, $r := .Roles}}{{if $i}}UNION ALL {{end}}SELECT 'role' AS kind, {{lit .Name}} AS name, EXISTS (SELECT FROM pg_roles WHERE rolname = {{lit .Name}}) AS there
{{end -}}
UNION ALL SELECT 'grant', p.privilege || ' on the schema to ' || p.role, COALESCE((SELECT has_schema_privilege(r.oid, n.oid, p.privilege) FROM pg_roles r, pg_namespace n WHERE r.rolname = p.role AND n.nspname = {{lit .Values.Schema}}), FALSE)
FROM (VALUES ({{lit .Values.Roles.Owner}}, 'USAGE'), ({{lit .Values.Roles.Owner}}, 'CREATE'), ({{lit .Values.Roles.Caller}}, 'USAGE'){{if .HasTables}}, ({{lit .Values.Roles.Reader}}, 'USAGE'), ({{lit .Values.Roles.Annotator}}, 'USAGE'){{end}}) AS p(role, privilege)
{{if .HasTables -}}
UNION ALL SELECT 'grant', p.privilege || ' on ' || p.name || ' to ' || p.role, COALESCE((SELECT has_table_privilege(r.oid, c.oid, p.privilege) FROM pg_roles r, pg_class c, pg_namespace n
  WHERE r.rolname = p.role AND c.relname = p.name AND c.relnamespace = n.oid AND n.nspname = {{lit .Values.Schema}}), FALSE)
FROM (VALUES ({{lit .Values.Roles.Annotator}}, 'human_labels', 'SELECT'), ({{lit .Values.Roles.Annotator}}, 'human_labels', 'INSERT'), ({{lit .Values.Roles.Annotator}}, 'human_labels', 'UPDATE'){{range readable}},
  ({{lit $.Values.Roles.Reader}}, {{lit .}}, 'SELECT'){{end}}) AS p(role, name, privilege)
UNION ALL SELECT 'grant', 'every right on ' || c.relname || ' taken from PUBLIC', NOT EXISTS (SELECT FROM aclexplode(c.relacl) a WHERE a.grantee = 0)
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = {{lit .Values.Schema}} AND {{created}}
UNION ALL SELECT 'grant', 'SELECT on ' || c.relname || ' to ' || {{lit .Values.Roles.Owner}}, COALESCE((SELECT has_table_privilege(r.oid, c.oid, 'SELECT') FROM pg_roles r WHERE r.rolname = {{lit .Values.Roles.Owner}}), FALSE)
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = {{lit .Values.Schema}} AND c.relname IN ({{inputs}}) AND c.relkind IN ('r', 'v', 'm', 'p', 'f')
UNION ALL SELECT 'key', k.name || '_key', EXISTS (SELECT FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid WHERE i.indrelid = t.oid AND c.relname = k.name || '_key' AND i.indisunique AND i.indisvalid)
FROM (VALUES {{range $i, $k := keyed}}{{if $i}}, {{end}}({{lit $k}}){{end}}) AS k(name) JOIN pg_class t ON t.relname = k.name JOIN pg_namespace n ON n.oid = t.relnamespace AND n.nspname = {{lit .Values.Schema}}
{{end -}}
UNION ALL SELECT 'grant', 'EXECUTE on ' || f.name || ' to ' || {{lit .Values.Roles.Caller}}, COALESCE((SELECT has_function_privilege(r.oid, f.oid, 'EXECUTE') FROM pg_roles r WHERE r.rolname = {{lit .Values.Roles.Caller}}), FALSE)
FROM (SELECT p.oid, p.proname AS name FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace WHERE n.nspname = {{lit .Values.Schema}} AND obj_description(p.oid, 'pg_proc') LIKE '%[badger:%') f
UNION ALL SELECT 'grant', 'EXECUTE on ' || f.name || ' taken from PUBLIC', NOT has_function_privilege('public', f.oid, 'EXECUTE')
FROM (SELECT p.oid, p.proname AS name FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace WHERE n.nspname = {{lit .Values.Schema}} AND (obj_description(p.oid, 'pg_proc') LIKE '%[badger:%' OR p.proname = '_call')) f
