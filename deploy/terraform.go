package deploy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/sql/install"
)

// hclText returns a string literal of Terraform's language, which has the escapes of JSON. The beginning of a
// template in the string is escaped.
func hclText(s string) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		return "", err
	}
	return strings.NewReplacer("${", "$${", "%{", "%%{").Replace(strings.TrimSuffix(b.String(), "\n")), nil
}

// snowflakeRoot is the data of the root of the module snowflake-spcs.
type snowflakeRoot struct{ plan *install.Plan }

func prepareSnowflakeRoot(p *install.Plan) (any, error) { return &snowflakeRoot{p}, nil }

// HCL are the variables of the module that follow from the values.
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
	if p.Outside() {
		all["egress_hosts"] = []string{p.JudgeHost()}
		all["egress_secrets"] = []string{strings.Join([]string{p.Stored(v.Database), p.Stored(v.Schema), p.Stored(d.Judge.Secret)}, ".")}
	}
	return hclAttributes(all, "  ")
}

// databricksRoot is the data of the root of the module databricks.
type databricksRoot struct{ variables map[string]any }

// prepareDatabricksRoot computes the variables of the module databricks that follow from the values.
func prepareDatabricksRoot(p *install.Plan) (any, error) {
	v, d := &p.Values, &p.Values.Deploy.Databricks
	if d.Nightly != "procedure" {
		return nil, errcode.New(errcode.InvalidArgument, "values: deploy.databricks.nightly is %.40q; the job of terraform-databricks calls the procedure: want procedure, or the target databricks, whose bundle has the program", d.Nightly)
	}
	cron, err := quartz(v.Schedule.Cron)
	if err != nil {
		return nil, err
	}
	all := map[string]any{
		"catalog": v.Database, "schema": v.Schema, "secret_scope": v.Secret.Scope, "timezone": v.Schedule.Timezone,
		"schedule": nil, "warehouse_id": nil, "notify": d.Notify, "drop": v.Schedule.Drop,
	}
	for name, value := range map[string]string{"schedule": cron, "warehouse_id": v.Schedule.Compute, "service_principal": d.ServicePrincipal} {
		if value != "" {
			all[name] = value
		}
	}
	return &databricksRoot{all}, nil
}

// HCL are the variables in the call of the module.
func (r *databricksRoot) HCL() (string, error) { return hclAttributes(r.variables, "  ") }

// hclValue writes a value as Terraform's language has it, on one line. Keys of maps must be
// identifiers.
func hclValue(value any) (string, error) {
	switch value := value.(type) {
	case nil:
		return "null", nil
	case string:
		return hclText(value)
	case int, float64, bool:
		return fmt.Sprint(value), nil
	case []string:
		out := make([]string, len(value))
		for i, item := range value {
			text, err := hclText(item)
			if err != nil {
				return "", err
			}
			out[i] = text
		}
		return "[" + strings.Join(out, ", ") + "]", nil
	case map[string]any:
		var out []string
		for _, name := range slices.Sorted(maps.Keys(value)) {
			text, err := hclValue(value[name])
			if err != nil {
				return "", err
			}
			out = append(out, name+" = "+text)
		}
		if len(out) == 0 {
			return "{}", nil
		}
		return "{ " + strings.Join(out, ", ") + " }", nil
	}
	return "", errcode.New(errcode.Internal, "a %T has no form in Terraform's language", value)
}

// hclAttributes writes a line for each key, ordered, with equal signs in one column as terraform fmt
// wants them.
func hclAttributes(all map[string]any, indent string) (string, error) {
	longest, out := 0, ""
	for name := range all {
		longest = max(longest, len(name))
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		text, err := hclValue(all[name])
		if err != nil {
			return "", err
		}
		out += fmt.Sprintf("%s%-*s = %s\n", indent, longest, name, text)
	}
	return out, nil
}

// quartz converts a cron schedule to Quartz' form, which begins with seconds, counts days of the week from 1 for
// Sunday, and needs a ? for the day that is not set.
func quartz(cron string) (string, error) {
	f := strings.Fields(cron)
	if len(f) == 0 {
		return "", nil
	}
	if len(f) != 5 {
		return "", errcode.New(errcode.InvalidArgument, "values: schedule.cron is %.60q, want five fields", cron)
	}
	day, week := f[2], f[4]
	switch {
	case week == "*":
		week = "?"
	case day != "*":
		return "", errcode.New(errcode.InvalidArgument, "values: schedule.cron is %.60q; Databricks takes a day of the month or of the week, not both", cron)
	default:
		day = "?"
		parts := strings.FieldsFunc(week, func(c rune) bool { return c == ',' || c == '-' })
		for _, p := range parts {
			if len(p) != 1 || p[0] < '0' || p[0] > '7' {
				return "", errcode.New(errcode.InvalidArgument, "values: schedule.cron is %.60q; want days of the week from 0 to 7, with commas and dashes", cron)
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
