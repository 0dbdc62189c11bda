SELECT rolname::text AS name, '' AS comment FROM pg_roles
WHERE rolname IN ({{range $i, $r := .Roles}}{{if $i}}, {{end}}{{lit .Name}}{{end}}) AND COALESCE(shobj_description(oid, 'pg_authid'), '') NOT LIKE 'badger: %'
