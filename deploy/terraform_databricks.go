package deploy

import (
	"embed"

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
	all := map[string]any{
		"catalog": v.Database, "schema": v.Schema, "secret_scope": v.Secret.Scope, "timezone": v.Schedule.Timezone,
		"schedule": nil, "warehouse_id": nil, "notify": d.Notify,
	}
	for name, value := range map[string]string{"schedule": v.Schedule.Quartz(), "warehouse_id": v.Schedule.Compute,
		"service_principal": d.ServicePrincipal} {
		if value != "" {
			all[name] = value
		}
	}
	return &databricksRoot{all}, nil
}

// HCL returns the variables as arguments of a module block.
func (r *databricksRoot) HCL() (string, error) { return hclAttributes(r.variables, "  ") }
