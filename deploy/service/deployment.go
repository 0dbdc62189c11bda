package service

import (
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/lazyregexp"
	"github.com/badger-eval/badger/judgebackend"
)

// Deployment holds the values under deploy, which describe how badger serve runs on a platform. The package deploy
// writes a platform's files from it.
type Deployment struct {
	Image    string   `yaml:"image"` // REGISTRY/REPOSITORY:TAG, or @sha256:DIGEST
	Replicas Replicas `yaml:"replicas"`
	CPU      string   `yaml:"cpu"`    // cores, such as 1 or 500m
	Memory   string   `yaml:"memory"` // such as 1Gi

	// Warehouse is the URL, without a password, of the warehouse in which badger serve caches judge replies and reads
	// references to results.
	Warehouse string  `yaml:"warehouse"`
	Results   Results `yaml:"results"`
	Judge     Judge   `yaml:"judge"`
	Report    Report  `yaml:"report"`

	// The sections of the platforms, each with a file in this package.
	CloudRun   CloudRun         `yaml:"cloud_run"`
	Databricks Databricks       `yaml:"databricks"`
	Kubernetes Kubernetes       `yaml:"kubernetes"`
	Snowflake  SnowflakeService `yaml:"snowflake"`
}

// section is the part of the values for one platform.
type section interface {
	fields() []Field // returns its values that are strings
	complete() error // sets missing values to their defaults and returns an error for an invalid value
}

// sections returns the fields of d that are sections, in order.
func (d *Deployment) sections() (all []section) {
	v := reflect.ValueOf(d).Elem()
	for i := range v.NumField() {
		if s, is := v.Field(i).Addr().Interface().(section); is {
			all = append(all, s)
		}
	}
	return all
}

// Replicas are the minimum and the maximum number of servers.
type Replicas struct {
	Min int `yaml:"min"`
	Max int `yaml:"max"`
}

// Judge is the model that badger serve calls. Its key is a secret of the platform, mounted as a file.
type Judge struct {
	Backend string `yaml:"backend"` // as judge.backend of badger serve; empty: no judge
	Model   string `yaml:"model"`
	URL     string `yaml:"url"`
	Secret  string `yaml:"secret"` // name of the platform's secret that holds the key
	// Budget limits the cost of each caller for a day in UTC: a number of tokens, such as 2M, or money, such as 5.00USD.
	// A judge without one is an error.
	Budget string `yaml:"budget"`
}

// Asked reports whether a judge is named.
func (j *Judge) Asked() bool { return j.Backend != "" && j.Backend != "none" }

// Needs returns the keys that a named judge needs on every platform.
func (j *Judge) Needs() []string {
	switch {
	case !j.Asked():
		return nil
	case j.Cortex(): // Snowflake has a default model
		return []string{"deploy.judge.budget"}
	}
	keys := []string{"deploy.judge.model", "deploy.judge.budget"}
	if j.Backend == "openai" || j.Backend == "anthropic" {
		keys = append(keys, "deploy.judge.url")
	}
	return keys
}

// complete returns an error for an invalid budget, for one without a judge, and for money if the model has no known
// price: badger serve would not start.
func (j *Judge) complete() error {
	if !j.Asked() && j.Budget != "" {
		return errcode.New(errcode.InvalidArgument, "values: deploy.judge.budget is set, and deploy.judge.backend names no judge")
	}
	_, money, err := j.limits()
	if err != nil || money == "" {
		return err
	}
	prices, err := judgebackend.NewBudget(judgebackend.BudgetLimits{})
	if err != nil {
		return err
	}
	if _, known := prices.Price(judgebackend.Identity{Backend: j.Backend, Model: j.Model}); !known {
		return errcode.New(errcode.InvalidArgument,
			"values: deploy.judge.budget is money, and no price is known for %s:%.80s; expected tokens, such as 2M", j.Backend,
			j.Model)
	}
	return nil
}

func (j *Judge) limits() (tokens int64, money string, err error) {
	if j.Budget == "" {
		return 0, "", nil
	}
	if tokens, money, err = judgebackend.ParseBudget(j.Budget); err != nil {
		err = errcode.New(errcode.InvalidArgument, "values: deploy.judge.budget: %w", err)
	}
	return tokens, money, err
}

// Caller returns judge.caller_budget of badger serve: one of the keys tokens and money. It is nil without a judge.
func (j *Judge) Caller() map[string]any {
	tokens, money, _ := j.limits() // complete has returned its error
	switch {
	case !j.Asked():
		return nil
	case money != "":
		return map[string]any{"money": money}
	}
	return map[string]any{"tokens": tokens}
}

// Environment returns the environment variables that limit the judge's cost in badger serve.
func (j *Judge) Environment() map[string]string {
	out := map[string]string{}
	for key, value := range j.Caller() {
		out["BADGER_JUDGE_CALLER_BUDGET_"+strings.ToUpper(key)] = fmt.Sprint(value)
	}
	return out
}

// CheckShared returns an error if several servers run that call a judge and share no warehouse: each would pay for the
// same replies, and know nothing of the batches and tickets of the others.
func (d *Deployment) CheckShared() error {
	shared, servers := d.Warehouse != "" && !strings.HasPrefix(d.Warehouse, "duckdb:"), max(d.Replicas.Min, d.Replicas.Max)
	if servers < 2 || !d.Judge.Asked() || shared {
		return nil
	}
	return errcode.New(errcode.InvalidArgument, "values: deploy.replicas: %d servers with a judge share replies and batches"+
		" through a warehouse; expected deploy.warehouse, such as postgres://badger@db.example.com/analytics, or one replica",
		servers)
}

var (
	cores = lazyregexp.New(`^([1-9][0-9]*m|[1-9][0-9]*|[0-9]+\.[0-9]+)$`)
	sizes = lazyregexp.New(`^[1-9][0-9]*(Mi|Gi)$`)
)

const leastMemory = 128 // in Mi: for the program, its engine and some calls

// schemes are the URL schemes of warehouses.
var schemes = []string{"bigquery", "databricks", "duckdb", "postgres", "postgresql", "redshift", "snowflake"}

// Tagged reports whether Image names a tag without a digest: another image can be pushed under it.
func (d *Deployment) Tagged() bool { return d.Image != "" && !strings.Contains(d.Image, "@") }

// Fields returns all values of the section deploy that are strings, including those of the platforms.
func (d *Deployment) Fields() []Field {
	all := []Field{
		{"deploy.image", &d.Image, "", "registry.example.com/badger:1.0.0"},
		{"deploy.cpu", &d.CPU, "1", "1"},
		{"deploy.memory", &d.Memory, "1Gi", "1Gi"},
		{"deploy.warehouse", &d.Warehouse, "", "snowflake://…"},
		{"deploy.judge.backend", &d.Judge.Backend, "", "openai"},
		{"deploy.judge.model", &d.Judge.Model, "", "gpt-4o"},
		{"deploy.judge.url", &d.Judge.URL, "", "https://models.example.com/v1"},
		{"deploy.judge.secret", &d.Judge.Secret, "", "badger-judge"},
		{"deploy.judge.budget", &d.Judge.Budget, "", "2M"},
	}
	for _, s := range d.sections() {
		all = append(all, s.fields()...)
	}
	return all
}

// Complete sets missing values to their defaults and returns an error for an invalid value.
func (d *Deployment) Complete() error {
	if d.Replicas.Min == 0 {
		d.Replicas.Min = 1
	}
	if d.Replicas.Max == 0 {
		d.Replicas.Max = d.Replicas.Min
	}
	if d.Replicas.Min < 1 || d.Replicas.Max < d.Replicas.Min || d.Replicas.Max > 1000 {
		return errcode.New(errcode.InvalidArgument,
			"values: deploy.replicas: min is %d and max is %d, expected 1 to 1000 and min at most max", d.Replicas.Min,
			d.Replicas.Max)
	}
	if !cores.MatchString(d.CPU) {
		return errcode.New(errcode.InvalidArgument, "values: deploy.cpu is %.20q, expected cores, such as 1 or 500m", d.CPU)
	}
	if !sizes.MatchString(d.Memory) {
		return errcode.New(errcode.InvalidArgument, "values: deploy.memory is %.20q, expected a size, such as 1Gi", d.Memory)
	}
	if n, err := strconv.Atoi(strings.TrimSuffix(d.Memory, "Mi")); err == nil && n < leastMemory {
		return errcode.New(errcode.InvalidArgument, "values: deploy.memory is %s, expected at least %dMi", d.Memory,
			leastMemory)
	}
	if err := checkWarehouse("deploy.warehouse", d.Warehouse); err != nil {
		return err
	}
	if u, err := url.Parse(d.Judge.URL); d.Judge.URL != "" &&
		(err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http") {
		return errcode.New(errcode.InvalidArgument,
			"values: deploy.judge.url: expected a URL such as https://models.example.com/v1")
	}
	if err := d.Judge.complete(); err != nil {
		return err
	}
	if err := d.Results.complete(); err != nil {
		return err
	}
	if err := d.Report.complete(); err != nil {
		return err
	}
	for _, s := range d.sections() {
		if err := s.complete(); err != nil {
			return err
		}
	}
	return nil
}

// checkWarehouse returns an error that names key if value is neither empty nor a URL with a warehouse's scheme.
func checkWarehouse(key, value string) error {
	if scheme, _, _ := strings.Cut(value, ":"); value != "" && (scheme == value || !slices.Contains(schemes, scheme)) {
		return errcode.New(errcode.InvalidArgument,
			"values: %s: expected the URL of a warehouse that begins with one of %s:", key, strings.Join(schemes, ":, "))
	}
	return nil
}
