package deploy

import (
	"embed"
	"net/url"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/lazyregexp"
	"github.com/badger-eval/badger/sql/install"
	"github.com/badger-eval/badger/sql/store"
)

//go:embed all:databricks
var databricksFiles embed.FS

var _ = register(Target{
	Name: "databricks", Warehouse: "databricks",
	Doc:      "A bundle: a schema with a volume for badger's program, a secret scope, the nightly job, and badger serve as an app. The jobs cost what their compute takes, the app runs all the time.",
	Required: []string{"database", "schedule.compute", "deploy.databricks.sha256", "deploy.databricks.service_principal"},
	Prepare:  prepareDatabricks,
	files:    databricksFiles, place: 20,
})

// databricks is the data of the bundle's templates.
type databricks struct {
	DevCatalog string
	Source     string     // URL of the warehouse of prod, without a host, which the platform provides
	DevSource  string     // like Source, with the catalog of dev
	Quartz     string     // schedule of the nightly jobs in Quartz' form; empty: none
	Judge      []variable // keys of the section judge in the app's configuration
	Secret     string     // key of the judge's secret in the secret scope; empty: none
	MemoryMiB  int        // limit of Go's memory in the app
	plan       *install.Plan
}

var (
	unityName   = lazyregexp.New(`^[^./\s[:cntrl:]]{1,255}$`)
	warehouseID = lazyregexp.New(`^[0-9A-Za-z]+$`)
	appName     = lazyregexp.New(`^[a-z][a-z0-9-]{0,28}[a-z0-9]$`)
	secretName  = lazyregexp.New(`^[A-Za-z0-9_.@-]{1,128}$`)
)

// appMemory is the memory of an app by its size, in MiB.
var appMemory = map[string]int{"MEDIUM": 6 << 10, "LARGE": 12 << 10}

// prepareDatabricks checks the values against the rules of Databricks and returns the data of the bundle's templates.
func prepareDatabricks(p *install.Plan) (any, error) {
	v, d := &p.Values, &p.Values.Deploy
	dev := d.Databricks.DevCatalog
	if dev == "" {
		dev = v.Database + "_dev"
	}
	for _, f := range []struct {
		key, value string
		looks      *lazyregexp.Regexp
		want       string
	}{
		{"database", v.Database, unityName, "the name of a catalog, without dots, spaces and slashes"},
		{"schedule.compute", v.Schedule.Compute, warehouseID, "the id of a SQL warehouse: letters and digits"},
		{"service", v.Service, appName, "the name of an app: 2 to 30 small letters, digits and dashes, a letter first"},
		{"secret.scope", v.Secret.Scope, secretName, "letters, digits and _.@-"},
	} {
		if !f.looks.MatchString(f.value) {
			return nil, errcode.New(errcode.InvalidArgument, "values: %s is %.80q, expected %s", f.key, f.value, f.want)
		}
	}
	for key, value := range map[string]string{
		"database": v.Database, "service": v.Service, "schedule.timezone": v.Schedule.Timezone, "roles.owner": v.Roles.Owner,
		"roles.caller": v.Roles.Caller, "roles.reader": v.Roles.Reader,
		"deploy.databricks.dev_catalog": dev, "deploy.databricks.schema": d.Databricks.Schema,
		"deploy.databricks.volume": d.Databricks.Volume,
		"deploy.judge.model":       d.Judge.Model, "deploy.databricks.notify": strings.Join(d.Databricks.Notify, " "),
	} {
		if strings.Contains(value, "${") || strings.Contains(value, "{{") {
			return nil, errcode.New(errcode.InvalidArgument,
				"values: %s holds ${ or {{, which a bundle would replace", key)
		}
	}
	if v.Schema != store.Schema {
		return nil, errcode.New(errcode.InvalidArgument,
			"values: schema is %.60q; the jobs need badger's tables, which are in the schema %s", v.Schema, store.Schema)
	}
	if dev == v.Database {
		return nil, errcode.New(errcode.InvalidArgument,
			"values: deploy.databricks.dev_catalog is the catalog of prod: dev would write into its tables")
	}
	if strings.EqualFold(d.Databricks.Schema, store.Schema) {
		return nil, errcode.New(errcode.InvalidArgument, "values: deploy.databricks.schema is the schema with the scores: bundle destroy would remove them; expected another, such as badger_files")
	}
	own := &databricks{
		DevCatalog: dev, plan: p,
		Source:    warehouseWithoutHost(v.Database, v.Schedule.Compute),
		DevSource: warehouseWithoutHost(dev, v.Schedule.Compute),
		Secret:    d.Judge.Secret, MemoryMiB: appMemory[d.Databricks.AppSize] * 3 / 4,
	}
	if d.Warehouse != "" {
		return nil, errcode.New(errcode.InvalidArgument,
			"values: deploy.warehouse: leave it out; the bundle names the SQL warehouse of schedule.compute, and no host")
	}
	judged := *d
	judged.Warehouse = own.Source
	variables, err := judgeVariables(&judged, "aiquery")
	if err != nil {
		return nil, err
	}
	for _, e := range variables {
		own.Judge = append(own.Judge, variable{strings.ToLower(strings.TrimPrefix(e.Name, "BADGER_JUDGE_")), e.Value})
	}
	if own.Secret != "" {
		if !secretName.MatchString(own.Secret) {
			return nil, errcode.New(errcode.InvalidArgument,
				"values: deploy.judge.secret is %.60q, expected the key of a secret: letters, digits and _.@-", own.Secret)
		}
		own.Judge = append(own.Judge, variable{"key_env", "JUDGE_KEY"})
	}
	own.Quartz = v.Schedule.Quartz()
	return own, nil
}

// warehouseWithoutHost returns the URL of the SQL warehouse id. It has no host, so that it refers to the workspace in
// which the program runs.
func warehouseWithoutHost(catalog, id string) string {
	u := url.URL{Scheme: "databricks", Path: "/" + catalog + "/" + store.Schema,
		RawQuery: "http_path=/sql/1.0/warehouses/" + id}
	return "databricks://" + u.EscapedPath() + "?" + u.RawQuery
}

// Command returns the arguments of badger in the job that runs it.
func (d *databricks) Command() []string {
	out := []string{"run", "--source=${var.source}"}
	if m := d.plan.Values.Schedule.Metrics; len(m) > 0 {
		out = append(out, "--metrics="+strings.Join(m, ","))
	}
	return out
}

// Procedure returns the name of the evaluation procedure in a catalog.
func (d *databricks) Procedure(catalog string) string { return d.plan.Named(catalog, "evaluate") }

// Alerts returns the name of the procedure in a catalog that stores new alerts and fails with them.
func (d *databricks) Alerts(catalog string) string { return d.plan.Named(catalog, "send_alerts") }

// Paused returns the pause status of a nightly job: for the job that evaluates, the bundle variable that dev and prod
// set, and PAUSED for the other.
func (d *databricks) Paused(job string) string {
	if d.plan.Values.Deploy.Databricks.Nightly == job {
		return "${var.schedule}"
	}
	return "PAUSED"
}
