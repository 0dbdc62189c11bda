package doctor

// grants are the permissions that a role needs, by dialect, in the words of an administrator.
var grants = map[string]string{
	"postgres": "GRANT CREATE, TEMPORARY ON DATABASE name TO role; or, once the tables are there, GRANT USAGE ON SCHEMA badger TO role and GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA badger TO role",
	"redshift": "GRANT CREATE, TEMPORARY ON DATABASE name TO role; or, once the tables are there, GRANT USAGE ON SCHEMA badger TO role and GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA badger TO role",
	"snowflake": "GRANT USAGE ON WAREHOUSE w, USAGE and CREATE SCHEMA ON DATABASE d TO ROLE r; or, once the tables are there, USAGE ON SCHEMA d.badger and SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA d.badger, " +
		"and CREATE TABLE ON SCHEMA d.badger",
	"bigquery":   "roles/bigquery.jobUser and roles/bigquery.readSessionUser on the project, and roles/bigquery.dataEditor on the dataset badger (bigquery.datasets.create on the project where it is not there yet)",
	"databricks": "GRANT USE CATALOG, CREATE SCHEMA ON CATALOG c TO principal; or, once the tables are there, GRANT USE SCHEMA, CREATE TABLE, SELECT, MODIFY ON SCHEMA c.badger TO principal; and CAN USE on the SQL warehouse",
	"duckdb":     "may this user write the file and its directory?",
}
