--- owner: The schema of everything that belongs to badger. It stays when badger is removed, unless its data go too.
--- drop data: DROP SCHEMA IF EXISTS {{.SchemaName}} RESTRICT
CREATE SCHEMA IF NOT EXISTS {{.SchemaName}}
