package metric

import (
	"strings"

	"github.com/badger-eval/badger/scoring/sqlparts"
)

// functionDangers are functions that do more than compute, by what they do. Names are those of PostgreSQL and Redshift, MySQL, SQLite, DuckDB,
// SQL Server, Snowflake and BigQuery.
var functionDangers = func() map[string]string {
	m := map[string]string{}
	for danger, names := range map[string]string{
		dangerWrites: "nextval setval lo_create lo_creat lo_unlink lo_put lo_from_bytea lo_truncate pg_notify pg_create_restore_point pg_logical_emit_message",
		dangerRuns: "dblink dblink_exec dblink_open dblink_send_query query_to_xml query_to_xmlschema query_to_xml_and_xmlschema cursor_to_xml ts_stat crosstab connectby " +
			"pg_terminate_backend pg_cancel_backend pg_reload_conf pg_rotate_logfile pg_promote pg_switch_wal pg_drop_replication_slot pg_create_logical_replication_slot " +
			"openquery external_query postgres_query postgres_execute mysql_query mysql_execute sqlite_query query query_all eval sys_eval sys_exec " +
			"xp_cmdshell sp_executesql sp_oacreate sp_oamethod dbms_sql dbms_xmlgen.getxml " +
			"system$cancel_query system$cancel_all_queries system$abort_session system$abort_transaction system$send_email system$send_snowflake_notification " +
			"system$task_dependents_enable system$user_task_cancel_ongoing_executions system$pipe_force_resume http_get http_post http_request utl_http.request",
		dangerExports:  "lo_export writefile pg_file_write pg_file_rename pg_file_unlink export_set_file",
		dangerImports:  "pg_read_file pg_read_binary_file pg_stat_file pg_ls_dir pg_ls_logdir pg_ls_waldir lo_import load_file readfile fsdir read_text read_blob read_csv read_csv_auto read_parquet parquet_scan read_json read_json_auto read_json_objects read_ndjson read_ndjson_auto read_ndjson_objects sniff_csv read_xlsx st_read iceberg_scan delta_scan sqlite_scan sqlite_attach postgres_scan postgres_attach mysql_scan openrowset opendatasource read_files",
		dangerAttaches: "load_extension dblink_connect dblink_connect_u",
		dangerLocks:    "pg_sleep pg_sleep_for pg_sleep_until sleep benchmark get_lock release_lock pg_advisory_lock pg_advisory_lock_shared pg_advisory_xact_lock pg_advisory_xact_lock_shared pg_try_advisory_lock system$wait dbms_lock.sleep",
		dangerSession:  "set_config sp_configure setseed",
	} {
		for name := range strings.FieldsSeq(names) {
			m[name] = danger
		}
	}
	return m
}()

// dangerOf is what calling a function does besides computing; empty for nothing. Functions whose names mean much are told apart by their
// schema where they have one.
func dangerOf(name sqlparts.Name) string {
	if d := functionDangers[functionName(name)]; d != "" {
		return d
	}
	return functionDangers[strings.ToLower(name.Last().Text)]
}

func functionName(name sqlparts.Name) string {
	parts := make([]string, len(name))
	for i, p := range name {
		parts[i] = strings.ToLower(p.Text)
	}
	return strings.Join(parts, ".")
}
