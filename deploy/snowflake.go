package deploy

import (
	"embed"
	"regexp"
)

//go:embed all:snowflake
var snowflakeFiles embed.FS

var _ = register(Target{
	Name: "snowflake", Warehouse: "snowflake", Via: "spcs",
	Doc: "badger serve in Snowpark Container Services, in the account: the service specification, scripts to upgrade, take back, suspend and resume, " +
		"and with deploy.snowflake.app.package a Native App. badger install makes the objects. A node of a compute pool is on while the service is.",
	Required: []string{"database", "deploy.image", "deploy.snowflake.query_warehouse"},
	files:    snowflakeFiles, place: 80,
})

var notInName = regexp.MustCompile(`[^A-Za-z0-9]+`)

// appVersion is a version as the name of one of a Native App's, which is an identifier of at most 30
// letters.
func appVersion(version string) string {
	name := notInName.ReplaceAllString(version, "_")
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		name = "v" + name
	}
	return name[:min(len(name), 30)]
}

// appLogLevel is the level of a Native App's manifest, which calls none OFF.
func appLogLevel(level string) string {
	if level == "NONE" {
		return "OFF"
	}
	return level
}
