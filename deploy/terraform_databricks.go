package deploy

import (
	"embed"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/sql/install"
)

//go:embed all:terraform-databricks all:terraform/databricks
var databricksModule embed.FS

var _ = register(Target{
	Name: "terraform-databricks", Warehouse: "databricks", Beside: "terraform/databricks",
	Doc:      "A Terraform or OpenTofu module of the schema, volume, secret scope and nightly job, and a root that calls it. badger serve runs elsewhere.",
	Required: []string{"database"},
	Prepare:  prepareDatabricksRoot,
	files:    databricksModule, place: 60,
})

// databricksRoot is the data of the template that calls the module databricks.
type databricksRoot struct{ variables map[string]any }

// prepareDatabricksRoot returns the variables of the module databricks, derived from the values.
func prepareDatabricksRoot(p *install.Plan) (any, error) {
	v, d := &p.Values, &p.Values.Deploy.Databricks
	if d.Nightly != "procedure" {
		return nil, errcode.New(errcode.InvalidArgument, "values: deploy.databricks.nightly is %.40q; the job of terraform-databricks calls the procedure: expected procedure, or the target databricks, whose bundle has the program", d.Nightly)
	}
	cron, err := quartz(v.Schedule.Cron)
	if err != nil {
		return nil, err
	}
	all := map[string]any{
		"catalog": v.Database, "schema": v.Schema, "secret_scope": v.Secret.Scope, "timezone": v.Schedule.Timezone,
		"schedule": nil, "warehouse_id": nil, "notify": d.Notify,
	}
	for name, value := range map[string]string{"schedule": cron, "warehouse_id": v.Schedule.Compute,
		"service_principal": d.ServicePrincipal} {
		if value != "" {
			all[name] = value
		}
	}
	return &databricksRoot{all}, nil
}

// HCL returns the variables as arguments of a module block.
func (r *databricksRoot) HCL() (string, error) { return hclAttributes(r.variables, "  ") }

// quartz converts a cron schedule of five fields to Quartz' form, which has seconds first, days of the week from 1 for
// Sunday, and a ? in one of the two day fields. A schedule that sets both is an error.
func quartz(cron string) (string, error) {
	f := strings.Fields(cron)
	if len(f) == 0 {
		return "", nil
	}
	if len(f) != 5 {
		return "", errcode.New(errcode.InvalidArgument, "values: schedule.cron is %.60q, expected five fields", cron)
	}
	day, week := f[2], f[4]
	switch {
	case week == "*":
		week = "?"
	case day != "*":
		return "", errcode.New(errcode.InvalidArgument,
			"values: schedule.cron is %.60q; Databricks takes a day of the month or of the week, not both", cron)
	default:
		day = "?"
		parts := strings.FieldsFunc(week, func(c rune) bool { return c == ',' || c == '-' })
		for _, p := range parts {
			if len(p) != 1 || p[0] < '0' || p[0] > '7' {
				return "", errcode.New(errcode.InvalidArgument,
					"values: schedule.cron is %.60q; expected days of the week from 0 to 7, with commas and dashes", cron)
			}
		}
		week = strings.Map(func(c rune) rune {
			if c >= '0' && c <= '7' {
				return '1' + (c-'0')%7
			}
			return c
		}, week)
	}
	return strings.Join([]string{"0", f[0], f[1], day, f[3], week}, " "), nil
}
