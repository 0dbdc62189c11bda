{{if .HasTables}}SELECT schedule::text, command::text FROM cron.job WHERE jobname = 'badger evaluate' AND database = current_database() AND active{{end}}
