package deploy

import (
	"embed"

	"github.com/badger-eval/badger/deploy/service"
	"github.com/badger-eval/badger/internal/lazyregexp"
	"github.com/badger-eval/badger/sql/install"
)

//go:embed snowflake/*.tmpl all:snowflake/app
var snowflakeFiles embed.FS

var _ = register(Target{
	Name: "snowflake", Warehouse: "snowflake", Via: "spcs",
	Doc: "badger serve in Snowpark Container Services, in the account: the service specification, scripts to upgrade, take back, suspend and resume, " +
		"and with deploy.snowflake.app.package a Native App. badger install makes the objects. A node of a compute pool is on while the service is.",
	Required: []string{"database", "deploy.image", "deploy.snowflake.query_warehouse"},
	Prepare:  func(p *install.Plan) (any, error) { return snowflake{p.SPCS()}, nil },
	files:    snowflakeFiles, place: 80,
})

// snowflake is the data of the templates for Snowflake.
type snowflake struct{ *service.SPCSService }

var notInName = lazyregexp.New(`[^A-Za-z0-9]+`)

// AppVersion returns version as a valid version name of a Native App: an identifier of at most 30 characters.
func (snowflake) AppVersion(version string) string {
	name := notInName.ReplaceAllString(version, "_")
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		name = "v" + name
	}
	return name[:min(len(name), 30)]
}

// AppLogLevel returns the log level in a Native App's manifest, in which NONE is called OFF.
func (s snowflake) AppLogLevel() string {
	if level := s.Deploy.Snowflake.LogLevel; level != "NONE" {
		return level
	}
	return "OFF"
}
