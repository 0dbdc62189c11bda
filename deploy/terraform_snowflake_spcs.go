package deploy

import (
	"embed"
	"strings"

	"github.com/badger-eval/badger/sql/install"
)

//go:embed all:terraform-snowflake-spcs all:terraform/snowflake-spcs
var spcsModule embed.FS

var _ = register(Target{
	Name: "terraform-snowflake-spcs", Warehouse: "snowflake", Via: "spcs", Beside: "terraform/snowflake-spcs",
	Doc:      "A Terraform or OpenTofu module of the compute pool, images, way out and service, and a root that calls it. badger install makes the rest.",
	Required: []string{"database", "deploy.image"},
	Prepare:  prepareSnowflakeRoot,
	files:    spcsModule, place: 40,
})

// snowflakeRoot is the data of the template that calls the module snowflake-spcs.
type snowflakeRoot struct{ plan *install.Plan }

func prepareSnowflakeRoot(p *install.Plan) (any, error) { return &snowflakeRoot{p}, nil }

// HCL returns the variables of the module, derived from the values, as arguments of a module block.
func (r *snowflakeRoot) HCL() (string, error) {
	p, v := r.plan, &r.plan.Values
	d, s := &v.Deploy, &v.Deploy.Snowflake
	all := map[string]any{
		"database": p.Stored(v.Database), "schema": p.Stored(v.Schema), "owner_role": p.Stored(v.Roles.Owner),
		"compute_pool": p.Stored(v.Pool), "instance_family": v.Instances, "service": p.Stored(v.Service),
		"instances":            map[string]any{"min": d.Replicas.Min, "max": d.Replicas.Max},
		"nodes":                map[string]any{"min": s.Nodes.Min, "max": s.Nodes.Max},
		"min_ready_instances":  s.Ready,
		"auto_suspend_seconds": s.PoolSuspend,
	}
	if s.Suspend > 0 {
		all["service_suspend_seconds"] = s.Suspend
	}
	if s.QueryWarehouse != "" {
		all["query_warehouse"] = p.Stored(s.QueryWarehouse)
	}
	if d.Judge.Outside() {
		all["egress_hosts"] = []string{d.Judge.Host()}
		all["egress_secrets"] = []string{
			strings.Join([]string{p.Stored(v.Database), p.Stored(v.Schema), p.Stored(d.Judge.Secret)}, ".")}
	}
	return hclAttributes(all, "  ")
}
