package install

import (
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/deploy/service"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/strictyaml"
	"github.com/badger-eval/badger/scoring"
)

// Values are the settings of an installation. One file may contain those of all warehouses and platforms; a warehouse
// uses only its own.
type Values struct {
	Warehouse string `yaml:"warehouse"`
	Via       string `yaml:"via"`

	Database string `yaml:"database"` // database, catalog or project, if the connection does not determine it
	Schema   string `yaml:"schema"`   // by default badger
	Roles    Roles  `yaml:"roles"`

	Endpoint string `yaml:"endpoint"` // URL of badger serve, or of the gateway before it
	// the endpoint may be http:// beyond loopback: tokens and data then cross the network as they are
	AllowPlainHTTP bool `yaml:"allow_plain_http"`

	// file of certificates, by which functions check the endpoint's certificate instead of the system's authorities
	CAFile string `yaml:"ca_file"`

	Integration string `yaml:"integration"`  // Snowflake: name of the API integration
	APIProvider string `yaml:"api_provider"` // Snowflake: kind of Amazon API Gateway
	// Snowflake and Redshift: the AWS role that may call the gateway or the Lambda function
	RoleARN   string `yaml:"role_arn"`
	Pool      string `yaml:"pool"`      // Snowflake: compute pool
	Instances string `yaml:"instances"` // Snowflake: instance family of the pool
	Service   string `yaml:"service"`   // name of the service: Snowflake's, or in BigQuery the Cloud Run service

	Location   string `yaml:"location"`   // BigQuery: location of the dataset and the connection
	Connection string `yaml:"connection"` // BigQuery and Databricks: name of the connection
	Lambda     string `yaml:"lambda"`     // Redshift: name of the Lambda function

	Secret Secret `yaml:"secret"` // Databricks: location of the token for badger serve
	// Postgres: file on the database server that contains the token. Databend: file from which the token is put into
	// the printed statements
	TokenFile string `yaml:"token_file"`

	Schedule Schedule           `yaml:"schedule"`
	Deploy   service.Deployment `yaml:"deploy"`

	Rows   Rows     `yaml:"rows"`
	Judges []string `yaml:"judges"` // judge files whose functions are also installed

	// Deploying reports that the server does not exist yet, so that settings that only calls need, such as its
	// endpoint, may be missing. Needs are then the keys that must be set.
	Deploying bool     `yaml:"-"`
	Needs     []string `yaml:"-"`
}

// Roles are the names of the roles, or of the groups that are used as roles.
type Roles struct {
	Owner     string `yaml:"owner"`     // owns the objects
	Caller    string `yaml:"caller"`    // may call the functions
	Reader    string `yaml:"reader"`    // reads scores and views
	Annotator string `yaml:"annotator"` // writes labels
}

// Secret is the location of a secret in Databricks.
type Secret struct {
	Scope string `yaml:"scope"`
	Key   string `yaml:"key"`
}

// Rows are the maximum numbers of rows in a call, by cost class. 0 is the protocol's maximum.
type Rows struct {
	Small  int `yaml:"small"`
	Large  int `yaml:"large"`
	Judged int `yaml:"judged"`
	// JudgeSeconds is the time of the judge calls for a row, of sixteen concurrent rows; 0 is 8. It determines
	// the protocol's maximum number of judged rows.
	JudgeSeconds float64 `yaml:"judge_seconds"`
}

// ReadValuesFile reads a YAML file of values. Relative paths of judge files and ca_file are resolved from its
// directory. The error contains the file's name, not its directory.
func ReadValuesFile(path string) (Values, error) {
	f, err := os.Open(path)
	if err != nil {
		return Values{}, err
	}
	defer f.Close() //nolint:errcheck // only read
	v, err := ReadValues(f)
	if err != nil {
		return v, errcode.New(errcode.Of(err), "%s: %w", filepath.Base(path), err)
	}
	if v.CAFile != "" && !filepath.IsAbs(v.CAFile) {
		v.CAFile = filepath.Join(filepath.Dir(path), v.CAFile)
	}
	for i, file := range v.Judges {
		if !filepath.IsAbs(file) {
			v.Judges[i] = filepath.Join(filepath.Dir(path), file)
		}
	}
	return v, nil
}

// ReadValues reads values in YAML. An unknown key is an error.
func ReadValues(r io.Reader) (v Values, err error) {
	text, err := io.ReadAll(io.LimitReader(r, 1<<20))
	if err != nil {
		return v, err
	}
	if err := strictyaml.Decode(text, &v); err != nil && !errors.Is(err, io.EOF) {
		return v, errcode.New(errcode.InvalidArgument, "values: %w", err)
	}
	return v, nil
}

// field is a setting with its key, for checks and messages.
type field struct {
	key     string
	value   *string
	initial string // the default
	example string
}

func (v *Values) fields() []field {
	all := []field{
		{"warehouse", &v.Warehouse, "", "snowflake"},
		{"via", &v.Via, "", "spcs"},
		{"database", &v.Database, "", "analytics"},
		{"schema", &v.Schema, "badger", "badger"},
		{"roles.owner", &v.Roles.Owner, "badger_owner", "badger_owner"},
		{"roles.caller", &v.Roles.Caller, "badger_caller", "badger_caller"},
		{"roles.reader", &v.Roles.Reader, "badger_reader", "badger_reader"},
		{"roles.annotator", &v.Roles.Annotator, "badger_annotator", "badger_annotator"},
		{"endpoint", &v.Endpoint, "", "https://badger.example.com"},
		{"integration", &v.Integration, "badger_api", "badger_api"},
		{"api_provider", &v.APIProvider, "aws_api_gateway", "aws_private_api_gateway"},
		{"role_arn", &v.RoleARN, "", "arn:aws:iam::123456789012:role/badger"},
		{"pool", &v.Pool, "badger_pool", "badger_pool"},
		{"instances", &v.Instances, "CPU_X64_XS", "CPU_X64_XS"},
		{"service", &v.Service, "badger", "badger"},
		{"location", &v.Location, "", "EU"},
		{"connection", &v.Connection, "badger", "badger"},
		{"lambda", &v.Lambda, "badger", "badger"},
		{"secret.scope", &v.Secret.Scope, "badger", "badger"},
		{"secret.key", &v.Secret.Key, "token", "token"},
		{"ca_file", &v.CAFile, "", "ca.pem"},
		{"token_file", &v.TokenFile, "", "/etc/badger/token"},
		{"schedule.cron", &v.Schedule.Cron, "", "0 6 * * *"},
		{"schedule.timezone", &v.Schedule.Timezone, "UTC", "UTC"},
		{"schedule.compute", &v.Schedule.Compute, "", "nightly"},
		{"schedule.since", &v.Schedule.Since, defaultSince, "2025-01-13"},
		{"schedule.alert.webhook", &v.Schedule.Alert.Webhook, "", "https://alerts.example.com/badger"},
		{"schedule.alert.token_file", &v.Schedule.Alert.TokenFile, "", "/etc/badger/webhook"},
		{"schedule.alert.email_integration", &v.Schedule.Alert.EmailIntegration, "", "mail"},
		{"schedule.alert.email", &v.Schedule.Alert.Email, "", "kim@example.com"},
		{"schedule.alert.error_integration", &v.Schedule.Alert.ErrorIntegration, "", "task_errors"},
	}
	for _, f := range v.Deploy.Fields() {
		all = append(all, field{f.Key, f.Value, f.Initial, f.Example})
	}
	return all
}

// complete sets defaults and validates the values. required are the keys that the protocol needs.
func (v *Values) complete(required []string) error {
	if err := v.checkSecrets(); err != nil {
		return err
	}
	required, err := v.required(required)
	if err != nil {
		return err
	}
	for _, f := range v.fields() {
		if *f.value == "" {
			*f.value = f.initial
		}
		if err := service.CheckText(f.key, *f.value); err != nil {
			return err
		}
	}
	if err := v.Require(required...); err != nil {
		return err
	}
	if err := v.checkURL("endpoint", v.Endpoint, "the token and results"); err != nil {
		return err
	}
	v.Endpoint = strings.TrimRight(v.Endpoint, "/")
	if v.Warehouse == "postgres" {
		if err := v.checkURL("schedule.alert.webhook", v.Schedule.Alert.Webhook, "the token and alerts"); err != nil {
			return err
		}
	}
	if providers := []string{"aws_api_gateway", "aws_private_api_gateway", "aws_gov_api_gateway",
		"aws_gov_private_api_gateway"}; !slices.Contains(providers, v.APIProvider) {
		return errcode.New(errcode.InvalidArgument, "values: api_provider is %.40q, expected one of %s", v.APIProvider,
			strings.Join(providers, ", "))
	}
	if err := v.checkRoles(); err != nil {
		return err
	}
	for _, r := range []struct {
		key string
		n   int
	}{{"small", v.Rows.Small}, {"large", v.Rows.Large}, {"judged", v.Rows.Judged}} {
		if r.n < 0 || r.n > 100_000 {
			return errcode.New(errcode.InvalidArgument,
				"values: rows.%s is %d, expected 1 to 100000, or 0 for the maximum of the protocol", r.key, r.n)
		}
	}
	if s := v.Rows.JudgeSeconds; !(s >= 0 && s <= 600) {
		return errcode.New(errcode.InvalidArgument, "values: rows.judge_seconds is %v, expected at most 600, or 0 for %v", s,
			cost[scoring.CostJudged].time.Seconds())
	}
	if err := v.Deploy.Complete(); err != nil {
		return err
	}
	if v.Warehouse == "bigquery" {
		if err := v.Deploy.CheckLocation(v.Location); err != nil {
			return err
		}
	}
	return v.Schedule.complete(v.Warehouse)
}

// required returns the keys that must be set: those that the protocol needs, or the platform of a deployment, and those
// that other values make necessary. It derives BigQuery's endpoint.
func (v *Values) required(required []string) (keys []string, err error) {
	if v.Deploying {
		required = v.Needs
	}
	if v.Deploying || v.Via == "spcs" {
		required = slices.Concat(required, v.Deploy.Judge.Needs())
	}
	if v.Via == "spcs" && v.Deploy.Judge.Outside() {
		required = append(required, "deploy.judge.secret")
	}
	if run := &v.Deploy.CloudRun; v.Warehouse == "bigquery" && v.Endpoint == "" { // it follows from the project's number
		required = slices.Clone(required)
		if i := slices.Index(required, "endpoint"); i >= 0 {
			required[i] = "deploy.cloud_run.project_number"
		}
		if run.ProjectNumber != "" && (v.Location != "" || run.Region != "") {
			if v.Endpoint, err = run.Endpoint(v.Service, v.Location); err != nil {
				return nil, err
			}
		}
	}
	return required, nil
}

// checkURL returns an error if the value of a key is not a URL that the warehouse may call; sent describes the data
// that http:// would send as plain text.
func (v *Values) checkURL(key, value, sent string) error {
	if value == "" {
		return nil
	}
	u, err := url.Parse(value)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.RawQuery != "" || u.Fragment != "" ||
		u.User != nil {
		return errcode.New(errcode.InvalidArgument,
			"values: %s: expected a URL such as https://badger.example.com, without a user, a query or a fragment", key)
	}
	switch {
	case u.Scheme == "https" || driver.Loopback(u.Hostname()) && v.Warehouse != "snowflake":
	case v.Warehouse == "snowflake" || v.Warehouse == "bigquery":
		return errcode.New(errcode.InvalidArgument,
			"values: %s: %s calls https:// addresses alone; expected a URL such as https://badger.example.com", key,
			v.Warehouse)
	case !v.AllowPlainHTTP:
		return errcode.New(errcode.InvalidArgument,
			"values: %s: http:// sends %s as plain text; expected https://, or allow_plain_http: true if nobody else uses the network between", key, sent)
	}
	return nil
}

// everyone lists, by warehouse, the names of roles or members that include all users, in lower case.
var everyone = map[string][]string{
	"postgres": {"public"}, "redshift": {"public"}, "snowflake": {"public"},
	"bigquery": {"allusers", "allauthenticatedusers", "specialgroup:allusers", "specialgroup:allauthenticatedusers"},
}

// checkRoles returns an error if two roles are the same one, or if a role includes all users.
func (v *Values) checkRoles() error {
	seen := map[string]string{}
	for _, f := range v.fields() {
		if !strings.HasPrefix(f.key, "roles.") {
			continue
		}
		if slices.Contains(everyone[v.Warehouse], strings.ToLower(*f.value)) {
			return errcode.New(errcode.InvalidArgument,
				"values: %s is %s, which is everyone; expected a role of your own, such as %s", f.key, *f.value, f.example)
		}
		name := *f.value
		switch { // Redshift ignores case; Snowflake converts a plain name to upper case
		case v.Warehouse == "redshift", v.Warehouse == "snowflake" && name == strings.ToLower(name):
			name = strings.ToUpper(name)
		}
		if other, dup := seen[name]; dup {
			return errcode.New(errcode.InvalidArgument,
				"values: %s and %s are the same role, which would have the rights of both", other, f.key)
		}
		seen[name] = f.key
	}
	return nil
}

// Require returns an error that lists all values with one of the keys that are missing, each with an example.
func (v *Values) Require(keys ...string) error {
	var missing []string
	for _, f := range v.fields() {
		if *f.value == "" && slices.Contains(keys, f.key) {
			missing = append(missing, fmt.Sprintf("%s, such as %s: %s", f.key, f.key, f.example))
		}
	}
	if missing == nil {
		return nil
	}
	return errcode.New(errcode.InvalidArgument, "values: %s via %s needs %s; --example prints a file of values", v.Warehouse,
		v.Via, strings.Join(missing, "; "))
}

// Visitors returns the roles that the platform admits to the server of the report, which also serves functions. The
// callers' role is omitted if the report admits everybody.
func (v *Values) Visitors() (roles []string) {
	r := &v.Deploy.Report
	if !r.Everybody() {
		roles = append(roles, v.Roles.Caller)
	}
	if r.On() {
		roles = append(roles, v.Roles.Reader)
	}
	if len(r.Annotators) > 0 {
		roles = append(roles, v.Roles.Annotator)
	}
	return roles
}
