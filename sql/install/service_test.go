package install_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/badger-eval/badger/deploy/service"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/sql/install"
)

// withEverything are values of a service that has everything a service can have.
func withEverything() install.Values {
	v := plain("snowflake", "spcs")
	v.Instances, v.Pool, v.Service = "CPU_X64_S", "POOL_2", "scorer"
	v.Judges = []string{"/home/ana/money.star", "b.yaml"}
	d := &v.Deploy
	d.Image, d.Replicas, d.CPU, d.Memory = "badger:2.0.0", service.Replicas{Min: 2, Max: 4}, "1500m", "4Gi"
	d.Judge = service.Judge{Backend: "openai", Model: "m-1", URL: "https://Models.example.com:8443/v1", Secret: "judge_key", Budget: "2M"}
	d.Snowflake = service.SnowflakeService{
		QueryWarehouse: "Strange WH", Nodes: service.Replicas{Min: 1, Max: 3}, PoolSuspend: 60, Ready: 2, Suspend: 3600, Public: true, LogLevel: "ERROR", Previous: "badger:1.0.0",
		App: service.NativeApp{Package: "badger_package", Name: "badger_app"},
	}
	return v
}

// statements are the plan's, one after another.
func statements(p *install.Plan) string {
	var b strings.Builder
	for _, s := range p.Steps {
		b.WriteString(s.SQL + "\n")
	}
	return b.String()
}

// What the values ask for is in the statements and the specification, and what they do not ask for
// is not: no door outside is made for nothing.
func TestServiceFollowsTheValues(t *testing.T) {
	few := functions(t)[:2]
	all, least := statements(plan(t, withEverything(), few)), statements(plan(t, plain("snowflake", "spcs"), few))
	for _, want := range []string{
		"CREATE COMPUTE POOL IF NOT EXISTS POOL_2 MIN_NODES = 1 MAX_NODES = 3 INSTANCE_FAMILY = CPU_X64_S AUTO_RESUME = TRUE AUTO_SUSPEND_SECS = 60 ",
		`GRANT USAGE ON WAREHOUSE "Strange WH" TO ROLE badger_owner`,
		"GRANT BIND SERVICE ENDPOINT ON ACCOUNT TO ROLE badger_owner",
		"CREATE STAGE IF NOT EXISTS lake.badger.judges", "snow stage copy money.star @lake.badger.judges", "snow stage copy b.yaml @lake.badger.judges",
		"CREATE SECRET IF NOT EXISTS lake.badger.judge_key TYPE = GENERIC_STRING SECRET_STRING = '<the key>'",
		"VALUE_LIST = ('models.example.com:8443')",
		"CREATE EXTERNAL ACCESS INTEGRATION IF NOT EXISTS lake_badger_scorer_judge ALLOWED_NETWORK_RULES = (lake.badger.judge_host)",
		"MIN_INSTANCES = 2 MAX_INSTANCES = 4 MIN_READY_INSTANCES = 2", `AUTO_SUSPEND_SECS = 3600 AUTO_RESUME = TRUE QUERY_WAREHOUSE = "Strange WH"`,
		"EXTERNAL_ACCESS_INTEGRATIONS = (lake_badger_scorer_judge)",
		"GRANT SERVICE ROLE lake.badger.scorer!caller TO ROLE badger_owner", "GRANT SERVICE ROLE lake.badger.scorer!viewer TO ROLE badger_caller",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("no statement holds %s", want)
		}
		if strings.Contains(least, want) {
			t.Errorf("the least has %s", want)
		}
	}
	for _, never := range []string{"EXTERNAL ACCESS", "NETWORK RULE", "SECRET", "BIND SERVICE", "viewer", "STAGE"} {
		if strings.Contains(least, never) {
			t.Errorf("the least has %s", never)
		}
	}
	v := plain("snowflake", "spcs")
	v.Deploy.Judge = service.Judge{Backend: "cortex", Budget: "2M"}
	cortex := statements(plan(t, v, few))
	if !strings.Contains(cortex, "DATABASE ROLE SNOWFLAKE.CORTEX_USER TO ROLE") || strings.Contains(all+least, "CORTEX") {
		t.Error("Cortex is granted where another judge is asked, or not granted where it is")
	}
	text, err := plan(t, withEverything(), few).SPCS().Specification()
	if err != nil {
		t.Fatal(err)
	}
	s, err := service.ParseSpecification([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"badger", "public"} {
		c := s.Spec.Containers[i]
		if c.Name != name || c.Image != "/lake/badger/images/badger:2.0.0" || c.Env["BADGER_JUDGE_KEY_FILE"] != c.Secrets[0].DirectoryPath+"/secret_string" || c.Env["BADGER_JUDGES"] != "/judges/money.star,/judges/b.yaml" ||
			c.Secrets[0].SnowflakeSecret.ObjectName != "lake.badger.judge_key" || c.Secrets[0].EnvVarName != "" || c.ReadinessProbe.Path != "/readyz" {
			t.Errorf("the container %s is %+v", name, c)
		}
	}
	if a, b := s.Spec.Containers[0].Env, s.Spec.Containers[1].Env; a["BADGER_LISTEN_HTTP"] == b["BADGER_LISTEN_HTTP"] || a["BADGER_LISTEN_GRPC"] == b["BADGER_LISTEN_GRPC"] {
		t.Error("the two containers share a network, and listen at the same ports")
	}
	for _, e := range s.Spec.Endpoints {
		if e.Public != (e.Name == "ui") {
			t.Errorf("the endpoint %s is public: %v", e.Name, e.Public)
		}
	}
}

// No statement that the administrator or the owner runs, and no specification, has a place for a
// secret: the key is typed by hand.
func TestNoSecretIsWritten(t *testing.T) {
	for _, s := range plan(t, withEverything(), functions(t)[:1]).Steps {
		if s.By != install.Hand && strings.Contains(s.SQL, "SECRET_STRING") {
			t.Errorf("a statement writes a secret:\n%s", s.SQL)
		}
	}
}

// Each value is checked, by its key.
func TestServiceValues(t *testing.T) {
	for want, change := range map[string]func(v *install.Values){
		"database is \"Lake\"; Snowflake takes no quoted name": func(v *install.Values) { v.Database = "Lake" },
		"schema is \"a b\"":      func(v *install.Values) { v.Schema = "a b" },
		"service is \"order\"":   func(v *install.Values) { v.Service = "order" },
		"pool is \"a-b\"":        func(v *install.Values) { v.Pool = "a-b" },
		"service has 64 letters": func(v *install.Values) { v.Service = strings.Repeat("a", 64) },
		"deploy.image: invalid image path \"host.example.com/lake/badger/images/badger:1\"": func(v *install.Values) { v.Deploy.Image = "host.example.com/lake/badger/images/badger:1" },
		"NAME:TAG alone means":                          func(v *install.Values) { v.Deploy.Image = "badger" },
		"needs deploy.image":                            func(v *install.Values) { v.Deploy.Image = "" },
		"needs deploy.snowflake.query_warehouse":        func(v *install.Values) { v.Deploy.Snowflake.QueryWarehouse = "" },
		"deploy.snowflake.previous: ":                   func(v *install.Values) { v.Deploy.Snowflake.Previous = "x" },
		"deploy.snowflake.previous is deploy.image":     func(v *install.Values) { v.Deploy.Snowflake.Previous = "badger:2.0.0" },
		"deploy.snowflake.nodes: min is 3 and max is 2": func(v *install.Values) { v.Deploy.Snowflake.Nodes = service.Replicas{Min: 3, Max: 2} },
		"deploy.snowflake.nodes: min is 0":              func(v *install.Values) { v.Deploy.Snowflake.Nodes = service.Replicas{Max: 2} },
		"deploy.snowflake.pool_suspend is -1":           func(v *install.Values) { v.Deploy.Snowflake.PoolSuspend = -1 },
		"deploy.snowflake.suspend is 299":               func(v *install.Values) { v.Deploy.Snowflake.Suspend = 299 },
		"deploy.snowflake.ready is 3":                   func(v *install.Values) { v.Deploy.Snowflake.Ready = 3 },
		"logLevel":                                      func(v *install.Values) { v.Deploy.Snowflake.LogLevel = "DEBUG" },
		"instances: unknown instance family":            func(v *install.Values) { v.Instances = "XS" },
		"more than a node of CPU_X64_S has":             func(v *install.Values) { v.Deploy.CPU = "4" },
		"bytes of memory together":                      func(v *install.Values) { v.Deploy.Memory = "7Gi" },
		"deploy.judge.backend is \"replay\"":            func(v *install.Values) { v.Deploy.Judge.Backend = "replay" },
		"needs deploy.judge.secret":                     func(v *install.Values) { v.Deploy.Judge.Secret = "" },
		"needs deploy.judge.budget":                     func(v *install.Values) { v.Deploy.Judge.Budget = "" },
		"deploy.judge.budget: expected a number":        func(v *install.Values) { v.Deploy.Judge.Budget = "much" },
		"no price is known for openai:m-1":              func(v *install.Values) { v.Deploy.Judge.Budget = "5.00USD" },
		"names no judge":                                func(v *install.Values) { v.Deploy.Judge = service.Judge{Budget: "2M"} },
		"backend is missing":                            func(v *install.Values) { v.Deploy.Judge = service.Judge{Model: "m"} },
		"deploy.judge.url: openai needs a URL":          func(v *install.Values) { v.Deploy.Judge.URL = "http://models.example.com" },
		"and not its address":                           func(v *install.Values) { v.Deploy.Judge.URL = "https://10.0.0.1/v1" },
		"takes the ports 22, 80, 443":                   func(v *install.Values) { v.Deploy.Judge.URL = "https://models.example.com:81/v1" },
		"of no use to cortex":                           func(v *install.Values) { v.Deploy.Judge.Backend = "cortex" },
		"of no use to none":                             func(v *install.Values) { v.Deploy.Judge.Backend, v.Deploy.Judge.Budget = "none", "" },
		"deploy.judge.secret is \"my key\"":             func(v *install.Values) { v.Deploy.Judge.Secret = "my key" },
		"deploy.warehouse: expected a URL":              func(v *install.Values) { v.Deploy.Warehouse = "snowflake://ana@acct/lake" },
		"judges: \"a,b.star\"":                          func(v *install.Values) { v.Judges = []string{"a,b.star"} },
		"judges: \"b.yaml\"":                            func(v *install.Values) { v.Judges = []string{"x/b.yaml", "y/b.yaml"} },
		"are both called":                               func(v *install.Values) { v.Deploy.Snowflake.App.Name = "BADGER_PACKAGE" },
	} {
		v := withEverything()
		change(&v)
		_, err := install.New(v, dialects["snowflake"], few)
		if errcode.Of(err) != errcode.InvalidArgument || !strings.Contains(err.Error(), want) {
			t.Errorf("%v\nwant %s", err, want)
		}
	}
	if _, err := install.New(withEverything(), dialects["snowflake"], few); err != nil {
		t.Error(err)
	}
}

var serviceComment = regexp.MustCompile(`COMMENT = '([^\\]*(?:\\.[^\\']*)*)'`)

// A service is created once, upgraded in place where its specification is another, left alone where
// it is as planned, and never touched where somebody else created it.
func TestServiceStates(t *testing.T) {
	p := plan(t, plain("snowflake", "spcs"), few)
	ran := func(db *fakeDatabase) (out []string) {
		for _, sql := range db.ran {
			if strings.Contains(sql, " SERVICE IF ") {
				out = append(out, strings.Join(strings.Fields(sql)[:2], " "))
			}
		}
		return out
	}
	apply := func(shown [][]any, p *install.Plan) (*fakeDatabase, error) {
		db := &fakeDatabase{have: map[string]string{}, shown: shown, steps: p.Steps}
		_, err := p.Apply(t.Context(), db)
		return db, err
	}
	state := func(shown [][]any, p *install.Plan) string {
		c, err := p.Diff(t.Context(), &fakeDatabase{have: map[string]string{}, shown: shown})
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range c.Lines {
			if l.What == "service" {
				return l.State + ", " + l.Fix
			}
		}
		return "same " + string(rune('0'+c.Same["service"]))
	}

	none := [][]any{{"READY", "OTHER", "mine"}}
	db, err := apply(none, p)
	if err != nil || !slices.Equal(ran(db), []string{"CREATE SERVICE"}) || state(none, p) != "missing, creates it" {
		t.Fatalf("%v, %v, %s", ran(db), err, state(none, p))
	}
	comment := ""
	for _, sql := range db.ran {
		if m := serviceComment.FindStringSubmatch(sql); strings.HasPrefix(sql, "CREATE SERVICE") && m != nil {
			comment = m[1]
		}
	}
	there := [][]any{{"READY", "BADGER", comment}}
	if db, err = apply(there, p); err != nil || ran(db) != nil || state(there, p) != "same 1" {
		t.Errorf("as planned: %v, %v, %s", ran(db), err, state(there, p))
	}
	for what, change := range map[string]func(v *install.Values){
		"image":     func(v *install.Values) { v.Deploy.Image = "badger:1.0.1" },
		"judge":     func(v *install.Values) { v.Deploy.Judge = service.Judge{Backend: "cortex", Budget: "2M"} },
		"instances": func(v *install.Values) { v.Deploy.Replicas.Max = 2 },
	} {
		v := plain("snowflake", "spcs")
		change(&v)
		next := plan(t, v, few)
		if db, err = apply(there, next); err != nil || !slices.Equal(ran(db), []string{"ALTER SERVICE", "ALTER SERVICE", "ALTER SERVICE", "ALTER SERVICE"}) || state(there, next) != "changed, upgrades it in place" {
			t.Errorf("another %s: %v, %v, %s", what, ran(db), err, state(there, next))
		}
	}
	foreign := [][]any{{"READY", "BADGER", "mine"}}
	if db, err = apply(foreign, p); err != nil || ran(db) != nil || state(foreign, p) != "foreign, " {
		t.Errorf("somebody else's: %v, %v, %s", ran(db), err, state(foreign, p))
	}
	db = &fakeDatabase{have: map[string]string{}, shown: foreign, steps: p.Steps}
	if done, err := p.Apply(t.Context(), db); err != nil || !strings.Contains(done.Hand[0].Why, "lake.badger.badger has no mark") || !slices.ContainsFunc(db.ran, func(sql string) bool { return strings.HasPrefix(sql, "CREATE OR REPLACE FUNCTION") }) {
		t.Errorf("over somebody else's service: %v, %+v", err, done.Hand)
	}
	for _, shown := range [][][]any{foreign, there} {
		db := &fakeDatabase{have: map[string]string{}, shown: shown}
		if _, err := p.Remove(t.Context(), db, false); err != nil {
			t.Fatal(err)
		}
		if dropped := slices.Contains(db.ran, "DROP SERVICE IF EXISTS lake.badger.badger"); dropped != (shown[0][2] != "mine") {
			t.Errorf("the service with the comment %v is dropped: %v", shown[0][2], dropped)
		}
	}
}

// Functions of an installation keep their statements, and so their marks and paths, when the service
// is upgraded.
func TestUpgradeKeepsFunctions(t *testing.T) {
	v := withEverything()
	functions := func(v install.Values) (out []string) {
		for _, s := range plan(t, v, few).Steps {
			if s.Function != nil {
				out = append(out, s.SQL)
			}
		}
		return out
	}
	before := functions(v)
	v.Deploy.Image, v.Deploy.Replicas.Max, v.Deploy.Snowflake.Public = "badger:3.0.0", 9, false
	if !slices.Equal(before, functions(v)) {
		t.Error("an upgrade of the service changes the functions")
	}
}
