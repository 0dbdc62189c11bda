package postgres

// roleQuery returns the permissions of a session's role beyond reading, most serious first. The authenticated user is
// included, since the session can be reset to it.
const roleQuery = `WITH me AS (SELECT CAST(current_user AS text) AS name UNION SELECT CAST(session_user AS text)),
su AS (SELECT count(*) > 0 AS yes FROM pg_catalog.pg_roles r, me WHERE r.rolsuper AND pg_catalog.pg_has_role(me.name, r.oid, 'MEMBER'))
SELECT what, refused FROM (
SELECT 1 AS n, 'is a superuser' AS what, true AS refused FROM su WHERE yes
UNION SELECT 2, 'is a member of ' || r.rolname, true FROM pg_catalog.pg_roles r, me, su
	WHERE NOT su.yes AND r.rolname IN ('pg_read_server_files', 'pg_write_server_files', 'pg_execute_server_program') AND pg_catalog.pg_has_role(me.name, r.oid, 'MEMBER')
UNION SELECT 3, 'may create objects in schema ' || pg_catalog.quote_ident(s.nspname), true FROM pg_catalog.pg_namespace s, me, su
	WHERE NOT su.yes AND s.nspname !~ '^pg_(toast_)?temp_' AND pg_catalog.has_schema_privilege(me.name, s.oid, 'CREATE')
UNION SELECT 4, 'may create schemas in this database', false FROM me, su WHERE NOT su.yes AND pg_catalog.has_database_privilege(me.name, pg_catalog.current_database(), 'CREATE')
UNION SELECT 5, 'may create temporary tables', false FROM me, su WHERE NOT su.yes AND pg_catalog.has_database_privilege(me.name, pg_catalog.current_database(), 'TEMPORARY')
UNION SELECT 6, 'may write to ' || count(DISTINCT c.oid) || ' tables', false FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace s ON s.oid = c.relnamespace, me, su
	WHERE NOT su.yes AND c.relkind IN ('r', 'p', 'v', 'f') AND s.nspname NOT IN ('pg_catalog', 'information_schema')
	AND pg_catalog.has_table_privilege(me.name, c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE') HAVING count(*) > 0
UNION SELECT 7, 'has standard_conforming_strings off, so that strings end elsewhere', true WHERE pg_catalog.current_setting('standard_conforming_strings') = 'off'
) AS found ORDER BY n, what`

// redshiftRoleQuery returns only whether the user is a superuser.
const redshiftRoleQuery = `SELECT 'is a superuser' AS what, true AS refused FROM pg_catalog.pg_user WHERE usename = current_user AND usesuper`
