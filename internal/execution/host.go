package execution

import (
	"slices"
	"strings"

	"github.com/badger-eval/badger/scoring/sqlparts"
)

// hostNames are functions and relations about the host, its files, the settings and the sessions of an engine. They
// only read, and answer no question about data.
var hostNames = map[sqlparts.Dialect][]string{
	sqlparts.DuckDB: {
		"current_setting", "getenv", "getvariable", "duckdb_databases", "duckdb_settings", "duckdb_secrets",
		"duckdb_extensions", "duckdb_logs", "duckdb_log_contexts",
		"duckdb_memory", "duckdb_temporary_files", "duckdb_variables", "duckdb_external_file_cache", "duckdb_optimizers",
		"pragma_database_list", "pragma_database_size",
		"pragma_platform", "pragma_user_agent", "pragma_storage_info", "which_secret", "pg_settings",
	},
	sqlparts.Postgres: {
		"current_setting", "inet_server_addr", "inet_server_port", "inet_client_addr", "inet_client_port", "version",
		"pg_settings", "pg_show_all_settings", "pg_file_settings",
		"pg_show_all_file_settings", "pg_hba_file_rules", "pg_ident_file_mappings", "pg_config", "pg_shadow", "pg_authid",
		"pg_user_mapping", "pg_user_mappings",
		"pg_db_role_setting", "pg_stat_activity", "pg_stat_get_activity", "pg_stat_replication", "pg_stat_ssl",
		"pg_stat_gssapi", "pg_stat_wal_receiver", "pg_stat_file",
		"pg_postmaster_start_time", "pg_conf_load_time", "pg_current_logfile", "pg_relation_filepath",
		"pg_tablespace_location", "pg_backend_pid",
		"pg_subscription", "pg_foreign_server", "pg_safe_snapshot_blocking_pids", "pg_blocking_pids", "pg_control_system",
		"pg_control_checkpoint",
		"pg_control_init", "pg_control_recovery", "pg_prepared_statements", "pg_cursors",
	},
}

// hostPrefixes begin the names of further ones.
var hostPrefixes = map[sqlparts.Dialect][]string{sqlparts.Postgres: {"pg_read_", "pg_ls_"}}

// ofHost returns the first name in a text that is about the host and not allowed; "" if there is none. A column
// with such a name counts only if it is called or read from.
func ofHost(sql string, dialect sqlparts.Dialect, allowed []string) string {
	tells := func(name sqlparts.Name) string {
		if len(name) == 0 {
			return ""
		}
		last := strings.ToLower(name.Last().Text)
		is := slices.Contains(hostNames[dialect], last) ||
			slices.ContainsFunc(hostPrefixes[dialect], func(p string) bool { return strings.HasPrefix(last, p) })
		if !is || slices.ContainsFunc(allowed, func(a string) bool { return strings.EqualFold(a, last) }) {
			return ""
		}
		return last
	}
	for _, m := range sqlparts.Mentions(sql, dialect) {
		if m.Called {
			if name := tells(m.Name); name != "" {
				return name
			}
		}
	}
	found := ""
	for _, st := range sqlparts.Parse(sql, dialect).Statements {
		sqlparts.Walk(st, func(n sqlparts.Node) bool {
			switch n := n.(type) {
			case *sqlparts.Source:
				found = found + tells(n.Table)
			case *sqlparts.Call:
				found = found + tells(n.Name)
			}
			return found == ""
		})
	}
	return found
}
