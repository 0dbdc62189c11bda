package duckdb

// hostNames are functions and relations about the host, its files, the settings and the sessions, see [driver.Dialect].
var hostNames = []string{
	"current_setting", "getenv", "getvariable", "duckdb_databases", "duckdb_settings", "duckdb_secrets",
	"duckdb_extensions", "duckdb_logs", "duckdb_log_contexts",
	"duckdb_memory", "duckdb_temporary_files", "duckdb_variables", "duckdb_external_file_cache", "duckdb_optimizers",
	"pragma_database_list", "pragma_database_size",
	"pragma_platform", "pragma_user_agent", "pragma_storage_info", "which_secret", "pg_settings",
}
