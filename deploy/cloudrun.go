package deploy

import (
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/deploy/service"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/lazyregexp"
	"github.com/badger-eval/badger/sql/install"
)

//go:embed all:cloud-run
var cloudRunFiles embed.FS

var _ = register(Target{
	Name: "cloud-run", Warehouse: "bigquery", Via: "cloud-run",
	Doc:      "badger serve on Google Cloud Run, called by BigQuery remote functions. One instance is always on.",
	Required: []string{"deploy.image", "database", "location"},
	Needs:    cloudRunNeeds,
	Prepare:  prepareCloudRun,
	files:    cloudRunFiles, place: 10,
})

// cloudRun is the data of the Cloud Run templates.
type cloudRun struct {
	*service.CloudRunService
	Env       []variable // environment of badger serve
	CPU       string
	KeyFolder string   // folder in which the judge's key is mounted; empty: no key
	Tmp       int      // MiB of the temporary folder
	Services  []string // APIs of Google Cloud that are used
}

// variable is an environment variable.
type variable struct{ Name, Value string }

// An instance's memory includes baseMiB for the program and tmpMiB for its temporary folder, which is in memory on
// Cloud Run. Callers' data may use 1/perByte of the rest, because a request takes up to that many times its bytes while
// its rows are decoded, scored and encoded. requestMiB is the maximum size of a request.
const (
	baseMiB    = 256
	tmpMiB     = 64
	requestMiB = 10
	perByte    = 3
)

// cloudRunCPUs are the CPU sizes of Cloud Run that allow concurrent calls per instance, each with the minimum and
// maximum memory in MiB.
var cloudRunCPUs = []struct {
	cpu         string
	least, most int
}{{"1", 512, 4 << 10}, {"2", 512, 8 << 10}, {"4", 2 << 10, 16 << 10}, {"6", 4 << 10, 24 << 10},
	{"8", 4 << 10, 32 << 10}}

var (
	serviceName = lazyregexp.New(`^[a-z]([a-z0-9-]{0,47}[a-z0-9])?$`)
	projectID   = lazyregexp.New(`^([a-z0-9.-]+:)?[a-z][a-z0-9-]{4,28}[a-z0-9]$`)
	gcpLocation = lazyregexp.New(`^[A-Za-z]+(-[a-z]+)*[0-9]*$`)
	gcpName     = lazyregexp.New(`^[A-Za-z0-9_-]{1,255}$`)
	gcpMember   = lazyregexp.New(
		`^((user|group|serviceAccount):[^@\s"` + "`" + `\\]+@[^@\s"` + "`" +
			`\\]+|domain:[A-Za-z0-9.-]+|principal(Set)?://[^\s"` + "`" + `\\]+)$`)
	readerEmail = lazyregexp.New(`^[a-z0-9][a-z0-9._+-]*@[a-z0-9-]+(\.[a-z0-9-]+)+$`)
)

// cloudRunNeeds returns the keys that other values make necessary.
func cloudRunNeeds(v *install.Values) (keys []string) {
	d := &v.Deploy
	if v.Endpoint == "" || d.CloudRun.Perimeter != "" {
		keys = append(keys, "deploy.cloud_run.project_number")
	}
	if region := d.CloudRun; v.Location != "" && region.SetRegion(v.Location) != nil { // of a copy
		keys = append(keys, "deploy.cloud_run.region")
	}
	if d.Results.Any() || d.Report.On() || d.Judge.Backend == "bigqueryai" || d.CheckShared() != nil {
		keys = append(keys, "deploy.warehouse")
	}
	return keys
}

// prepareCloudRun checks the values against the rules of Cloud Run and BigQuery, and returns the data of the templates,
// with the environment of badger serve.
func prepareCloudRun(p *install.Plan) (any, error) {
	v, d := &p.Values, &p.Values.Deploy
	bad := func(format string, args ...any) error {
		return errcode.New(errcode.InvalidArgument, "values: "+format, args...)
	}
	if !strings.HasPrefix(v.Endpoint, "https://") || p.Base() != "" {
		return nil, bad("endpoint is %.80q; Cloud Run is called by https at a host without a path", v.Endpoint)
	}
	if err := d.CloudRun.SetRegion(v.Location); err != nil {
		return nil, err
	}
	for _, f := range []struct {
		key, value string
		looks      *lazyregexp.Regexp
		want       string
	}{
		{"service", v.Service, serviceName,
			"the name of a Cloud Run service: a small letter, then small letters, digits and dashes, at most 49"},
		{"database", v.Database, projectID, "the id of a project, such as acme-analytics"},
		{"location", v.Location, gcpLocation, "a location of BigQuery, such as EU or europe-west1"},
		{"connection", v.Connection, gcpName, "letters, digits, _ and dashes"},
		{"roles.owner", v.Roles.Owner, gcpMember, "an IAM principal, such as group:badger-owners@example.com"},
		{"roles.caller", v.Roles.Caller, gcpMember, "an IAM principal, such as group:analysts@example.com"},
	} {
		if !f.looks.MatchString(f.value) {
			return nil, bad("%s is %.80q, expected %s", f.key, f.value, f.want)
		}
	}
	if image, err := imageOf(d.Image); err != nil {
		return nil, err
	} else if !strings.Contains(image.Repository, "/") {
		return nil, bad("deploy.image is %.100q; Cloud Run wants the registry, too", d.Image)
	}
	memory, err := cloudRunMemory(d)
	if err != nil {
		return nil, err
	}
	own := &cloudRun{
		CloudRunService: p.CloudRun(), CPU: strings.TrimSuffix(d.CPU, "000m"), Tmp: tmpMiB,
		Services: []string{"artifactregistry.googleapis.com", "bigquery.googleapis.com", "bigqueryconnection.googleapis.com",
			"iam.googleapis.com", "run.googleapis.com"},
	}
	set := func(name, value string) { own.Env = append(own.Env, variable{name, value}) }
	calls, bytes := strconv.Itoa(d.CloudRun.Concurrency), strconv.Itoa((memory-baseMiB-tmpMiB)/perByte<<20)
	set("BADGER_LISTEN_H2C", "true")
	set("BADGER_AUTH_HTTP_MODE", "platform")
	set("BADGER_AUTH_HTTP_PLATFORM", "cloud-run")
	audience, emails := []string{v.Endpoint}, slices.Clone(d.CloudRun.Callers)
	if d.Report.On() {
		if err := checkReaders(d); err != nil {
			return nil, err
		}
		audience, emails = append(audience, gcloudAudience), append(emails, d.Report.People()...)
	}
	set("BADGER_AUTH_HTTP_AUDIENCE", strings.Join(audience, ","))
	set("BADGER_AUTH_HTTP_EMAILS", strings.Join(emails, ","))
	report := d.Report.Environment()
	for _, name := range slices.Sorted(maps.Keys(report)) {
		set(name, report[name])
	}
	set("BADGER_LIMITS_CALLS", calls)
	set("BADGER_LIMITS_CALLER_CALLS", calls) // one connection makes all calls
	set("BADGER_LIMITS_MEMORY_BYTES", bytes)
	set("BADGER_LIMITS_CALLER_MEMORY_BYTES", bytes)
	set("BADGER_LIMITS_MESSAGE_BYTES", strconv.Itoa(requestMiB<<20)) // gRPC is not reached from outside
	set("BADGER_LIMITS_STOP_GRACE", "9s")                            // Cloud Run kills after 10 s
	set("GOMEMLIMIT", strconv.Itoa(memory-tmpMiB-baseMiB/2)+"MiB")
	if d.Warehouse != "" {
		if !strings.HasPrefix(d.Warehouse, "bigquery://") {
			return nil, bad("deploy.warehouse is %.80q, expected bigquery://PROJECT/DATASET?location=%s", d.Warehouse,
				v.Location)
		}
		set("BADGER_RESULTS_WAREHOUSE", withOwnAccount(d.Warehouse))
		results := d.Results.Environment()
		for _, name := range slices.Sorted(maps.Keys(results)) {
			set(name, results[name])
		}
		set("BADGER_RELOAD", "5m") // judges that are promoted
	}
	judge, err := judgeVariables(d, "bigqueryai")
	if err != nil {
		return nil, err
	}
	own.Env = append(own.Env, judge...)
	for name, value := range d.Judge.Environment() { // one at most
		set(name, value)
	}
	if d.Judge.Backend == "bigqueryai" {
		own.Services = append(own.Services, "aiplatform.googleapis.com")
		if c := d.CloudRun.ModelConnection; c != "" {
			set("BADGER_JUDGE_CONNECTION", c)
		}
	} else if d.CloudRun.ModelConnection != "" {
		return nil, bad("deploy.cloud_run.model_connection is for the judge bigqueryai, and the judge is %.40q",
			d.Judge.Backend)
	}
	if d.Judge.Secret != "" {
		if !gcpName.MatchString(d.Judge.Secret) {
			return nil, bad("deploy.judge.secret is %.60q, expected the name of a secret: letters, digits, _ and dashes",
				d.Judge.Secret)
		}
		own.KeyFolder = "/etc/badger/secrets/judge" // where the Terraform module mounts it, too
		own.Services = append(own.Services, "secretmanager.googleapis.com")
		set("BADGER_JUDGE_KEY_FILE", own.KeyFolder+"/value")
	}
	if own.Nightly {
		own.Services = append(own.Services, "bigquerydatatransfer.googleapis.com")
	}
	slices.Sort(own.Services)
	return own, nil
}

// gcloudAudience is the audience of gcloud's tokens for users. Cloud Run accepts them for every service that the
// user may call.
const gcloudAudience = "32555940559.apps.googleusercontent.com"

// checkReaders returns an error unless all users of the report are named by e-mail addresses. * is an error, because it
// would mean the connections that call functions.
func checkReaders(d *service.Deployment) error {
	if d.Report.Everybody() {
		return errcode.New(errcode.InvalidArgument,
			"values: deploy.report: * means all allowed callers, which is BigQuery; expected e-mail addresses")
	}
	for _, who := range d.Report.People() {
		if !readerEmail.MatchString(who) {
			return errcode.New(errcode.InvalidArgument,
				"values: deploy.report: invalid e-mail address %.60q; expected one in lower case, such as ana@example.com", who)
		}
	}
	return nil
}

// withOwnAccount adds credentials=metadata to a BigQuery URL without credentials, so that badger authenticates as the
// service's own account.
func withOwnAccount(warehouse string) string {
	u, err := url.Parse(warehouse)
	if err != nil || u.Query().Has("credentials") || u.Query().Has("credentials_file") || u.Query().Has("token_file") {
		return warehouse
	}
	if u.RawQuery == "" {
		return warehouse + "?credentials=metadata"
	}
	return warehouse + "&credentials=metadata"
}

// cloudRunMemory returns the memory of an instance in MiB. It returns an error if Cloud Run does not have it with the
// CPU of d.
func cloudRunMemory(d *service.Deployment) (int, error) {
	memory := mebibytes(d.Memory)
	var sizes []string
	for _, s := range cloudRunCPUs {
		sizes = append(sizes, s.cpu)
		if d.CPU != s.cpu && d.CPU != s.cpu+"000m" {
			continue
		}
		if memory < s.least || memory > s.most {
			return 0, errcode.New(errcode.InvalidArgument, "values: deploy.memory is %s; with %s CPU Cloud Run has %d to %d Mi",
				d.Memory, s.cpu, s.least, s.most)
		}
		return memory, nil
	}
	return 0, errcode.New(errcode.InvalidArgument,
		"values: deploy.cpu is %s; an instance with several calls at a time needs one of %s", d.CPU,
		strings.Join(sizes, ", "))
}

// mebibytes returns the number of MiB of a valid size such as 512Mi or 1Gi.
func mebibytes(size string) int {
	n, _ := strconv.Atoi(strings.TrimRight(size, "GMi"))
	if strings.HasSuffix(size, "Gi") {
		n <<= 10
	}
	return n
}

// judgeVariables returns the environment variables of the judge, except for its key. inside is the backend that calls a
// model of the warehouse.
func judgeVariables(d *service.Deployment, inside string) ([]variable, error) {
	bad := func(format string, args ...any) ([]variable, error) {
		return nil, errcode.New(errcode.InvalidArgument, "values: deploy.judge."+format, args...)
	}
	j := d.Judge
	switch j.Backend {
	case "", "none":
		if j.Model != "" || j.URL != "" || j.Secret != "" {
			return bad("backend is missing, such as %s", inside)
		}
		return nil, nil
	case inside:
		if j.URL != "" || j.Secret != "" {
			return bad("url and secret: %s asks through the warehouse and has neither", inside)
		}
	case "openai", "anthropic":
		if j.URL == "" {
			return bad("url is missing: the address at which %s is asked, such as https://models.example.com/v1", j.Backend)
		}
		if u, err := url.Parse(j.URL); err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil ||
			u.RawQuery != "" || u.Fragment != "" {
			return bad("url: expected https://HOST/PATH, without a user, a query or a fragment")
		}
	default:
		return bad("backend is %.40q, expected %s, openai, anthropic or none", j.Backend, inside)
	}
	if j.Model == "" {
		return bad("model is missing: which model %s asks", j.Backend)
	}
	out := []variable{{"BADGER_JUDGE_BACKEND", j.Backend + ":" + j.Model}}
	if j.URL != "" {
		out = append(out, variable{"BADGER_JUDGE_BASE_URL", j.URL})
	}
	return out, d.CheckShared()
}

// command is a line of a shell script and its reason.
type command struct{ Why, Line string }

// Grants returns the commands that grant the roles on the given kinds of resources.
func (c *cloudRun) Grants(kinds ...string) (out []command) {
	for _, kind := range kinds {
		for _, b := range service.BindingsOn(kind, c.Bindings()) {
			out = append(out, command{b.Why, c.Grant(b)})
		}
	}
	return out
}

// Revokes returns the commands that revoke the roles that remain after the service, the connection and the accounts are
// deleted. Roles of the model's connection are kept, because others may use it.
func (c *cloudRun) Revokes() (out []command) {
	for _, b := range c.Bindings() {
		if b.Variable == "" && b.On != "service" && b.Resource != c.ConnectionName() {
			out = append(out, command{b.Why, c.Revoke(b)})
		}
	}
	return out
}

// Datasets returns the datasets of the project that must exist before roles are granted on them.
func (c *cloudRun) Datasets() []string {
	out := []string{c.Project + ":" + c.Dataset}
	for _, b := range service.BindingsOn("dataset", c.Bindings()) {
		if b.Resource == c.Project+"."+c.Tables && c.Dataset != c.Tables {
			out = append(out, c.Project+":"+c.Tables)
			break
		}
	}
	return out
}

// account is a service account.
type account struct {
	ID, Email, Doc string // ID is the part of Email before the @; Doc is the purpose
	Given          bool   // the values name it, so it may be used for other things
}

// Accounts returns the service accounts that are used. They are created if missing.
func (c *cloudRun) Accounts() (out []account) {
	r := &c.Deploy.CloudRun
	for _, a := range []account{
		{Email: c.Account(), Doc: "badger serve", Given: r.Account != ""},
		{Email: c.NightlyAccount(), Doc: "badger: evaluation by night", Given: r.NightlyAccount != ""},
	} {
		if a.ID, _, _ = strings.Cut(a.Email, "@"); a.ID != "" {
			out = append(out, a)
		}
	}
	return out
}

// ModelConnection returns the BigQuery connection to the model, or "" if there is none.
func (c *cloudRun) ModelConnection() string { return c.Deploy.CloudRun.ModelConnection }

// Terraform returns the variables of the module bigquery-cloud-run as JSON.
func (c *cloudRun) Terraform() (string, error) { return indented(c.moduleVariables()) }

// HCL returns the variables of the module bigquery-cloud-run as arguments of a module block.
func (c *cloudRun) HCL() (string, error) {
	all := c.moduleVariables()
	environment, err := hclAttributes(all["environment"].(map[string]any), "    ")
	if err != nil {
		return "", err
	}
	delete(all, "environment")
	rest, err := hclAttributes(all, "  ")
	return rest + "\n  environment = {\n" + environment + "  }\n", err
}

func (c *cloudRun) moduleVariables() map[string]any {
	d := c.Deploy
	environment, secrets, roles := map[string]any{}, map[string]any{}, []string{}
	for _, e := range c.Env {
		environment[e.Name] = e.Value
	}
	if d.Judge.Secret != "" {
		secrets["judge"] = d.Judge.Secret
	}
	var invokers []string
	for _, b := range service.BindingsOn("service", c.Bindings()) {
		if b.Member != "" { // the module has the connection's account itself
			invokers = append(invokers, b.Member)
		}
	}
	for _, b := range service.BindingsOn("project", c.Bindings()) {
		if b.Member == "serviceAccount:"+c.Account() && b.Resource == c.Project {
			roles = append(roles, b.Role)
		}
	}
	out := map[string]any{
		"project": c.Project, "region": d.CloudRun.Region, "location": c.Location, "service": c.Name,
		"connection": c.Connection, "image": d.Image,
		"instances": map[string]any{"min": d.Replicas.Min, "max": d.Replicas.Max}, "cpu": c.CPU, "memory": d.Memory,
		"environment": environment, "secret_files": secrets, "project_roles": roles, "concurrency": d.CloudRun.Concurrency,
	}
	for name, value := range map[string]string{"account": d.CloudRun.Account, "network": d.CloudRun.Network,
		"subnetwork": d.CloudRun.Subnetwork} {
		if value != "" {
			out[name] = value
		}
	}
	if len(invokers) > 0 {
		out["invokers"] = invokers
	}
	return out
}

// JSON returns all bindings, for granting them in another way.
func (c *cloudRun) JSON() (string, error) { return indented(c.Bindings()) }

func indented(v any) (string, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(v)
	return b.String(), err
}

// FunctionOwnerPermissions returns the permissions of the custom role for the owner of the functions.
func (c *cloudRun) FunctionOwnerPermissions() string { return service.FunctionOwnerPermissions }

// Restricted returns the services that a VPC perimeter encloses, separated by commas: those in use except IAM, and the
// Storage and Logging APIs, which give access to the same data.
func (c *cloudRun) Restricted() string {
	out := slices.Concat(c.Services, []string{"bigquerystorage.googleapis.com", "logging.googleapis.com"})
	out = slices.DeleteFunc(out, func(s string) bool { return s == "iam.googleapis.com" })
	slices.Sort(out)
	return strings.Join(out, ",")
}

// Interfaces returns the value of the annotation with the VPC network and the subnetwork, as JSON.
func (c *cloudRun) Interfaces() string {
	r := c.Deploy.CloudRun
	out := map[string]string{"network": r.Network}
	if r.Subnetwork != "" {
		out["subnetwork"] = r.Subnetwork
	}
	b, err := json.Marshal([]any{out})
	if err != nil {
		panic(fmt.Sprintf("cannot encode a map of strings as JSON: %v", err)) // cannot happen
	}
	return string(b)
}
