package postgres

// hostNames are functions and relations about the host, its files, the settings and the sessions, see [driver.Dialect].
var hostNames = []string{
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
	"pg_read_*", "pg_ls_*",
}
