{{range $t := .Tables -}}
{{if .Input -}}
--- owner, optional: Comments on the table {{.Name}} and its columns, unless it is a table or view of your own.
DO $badger$
BEGIN
  IF EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = {{lit $.Values.Schema}} AND c.relname = {{lit .Name}} AND {{ours .}}) THEN
    COMMENT ON TABLE {{in .Name}} IS {{lit (print (oneline .Doc) " [badger:table]")}};
{{- range .Columns}}
    COMMENT ON COLUMN {{in $t.Name}}.{{id .Name}} IS {{lit (oneline .Doc)}};
{{- end}}
  END IF;
END $badger$
{{else -}}
--- owner: A comment on the table {{.Name}}.
COMMENT ON TABLE {{in .Name}} IS {{lit (oneline .Doc)}}
{{range .Columns -}}
--- owner: A comment on {{$t.Name}}.{{.Name}}.
COMMENT ON COLUMN {{in $t.Name}}.{{id .Name}} IS {{lit (oneline .Doc)}}
{{end}}{{end}}{{end -}}
{{range .Views -}}
--- owner: A comment on the view {{.Name}}.
COMMENT ON VIEW {{in .Name}} IS {{lit (oneline .Doc)}}
{{end -}}
{{range $r := slice .Roles 2 -}}
--- admin: {{.Name}} finds the schema.
--- drop: REVOKE USAGE ON SCHEMA {{$.SchemaName}} FROM {{id .Name}}
GRANT USAGE ON SCHEMA {{$.SchemaName}} TO {{id .Name}}
{{end -}}
{{range readable -}}
--- owner: The reader reads {{.}}.
--- drop: REVOKE SELECT ON {{in .}} FROM {{id $.Values.Roles.Reader}}
GRANT SELECT ON {{in .}} TO {{id $.Values.Roles.Reader}}
{{end -}}
--- owner: The annotator reads and writes labels, and nothing else.
--- drop: REVOKE SELECT, INSERT, UPDATE ON {{in "human_labels"}} FROM {{id .Values.Roles.Annotator}}
GRANT SELECT, INSERT, UPDATE ON {{in "human_labels"}} TO {{id .Values.Roles.Annotator}}
--- owner: Nothing of badger's is everyone's.
DO $badger$
DECLARE r record;
BEGIN
  FOR r IN SELECT c.oid::regclass AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = {{lit .Values.Schema}} AND pg_has_role(c.relowner, 'USAGE') AND {{created}} AND EXISTS (SELECT FROM aclexplode(c.relacl) a WHERE a.grantee = 0)
  LOOP
    EXECUTE format('REVOKE ALL ON %s FROM PUBLIC', r.name);
  END LOOP;
END $badger$
--- owner, optional: What whoever ran this owns of badger's tables and views belongs to the owner. Tables and views of your own stay yours.
DO $badger$
DECLARE r record;
BEGIN
  FOR r IN
    SELECT c.oid::regclass AS name, c.relkind FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = {{lit .Values.Schema}} AND c.relowner = current_user::regrole
      AND {{created}}
  LOOP
    EXECUTE format('ALTER %s %s OWNER TO %I', CASE r.relkind WHEN 'v' THEN 'VIEW' ELSE 'TABLE' END, r.name, {{lit .Values.Roles.Owner}});
  END LOOP;
END $badger$
--- admin, optional: The owner reads the tables and views that are your own.
--- drop: DO $badger$ DECLARE r record; BEGIN FOR r IN SELECT c.oid::regclass AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = {{lit .Values.Schema}} AND c.relname IN ({{inputs}}) AND pg_has_role(c.relowner, 'USAGE') AND pg_get_userbyid(c.relowner) <> {{lit .Values.Roles.Owner}} LOOP EXECUTE format('REVOKE SELECT ON %s FROM %I', r.name, {{lit .Values.Roles.Owner}}); END LOOP; END $badger$
DO $badger$
DECLARE r record;
BEGIN
  FOR r IN
    SELECT c.oid::regclass AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = {{lit .Values.Schema}} AND c.relname IN ({{inputs}}) AND pg_has_role(c.relowner, 'USAGE') AND pg_get_userbyid(c.relowner) <> {{lit .Values.Roles.Owner}}
  LOOP
    EXECUTE format('GRANT SELECT ON %s TO %I', r.name, {{lit .Values.Roles.Owner}});
  END LOOP;
END $badger$
