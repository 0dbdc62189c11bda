--- owner: The schema of everything that belongs to badger. It is not dropped with the functions: scores and labels may be in it.
CREATE SCHEMA IF NOT EXISTS {{.SchemaName}}
