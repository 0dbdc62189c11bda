package service

import (
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/lazyregexp"
)

// CloudRun holds the values under deploy.cloud_run, for a service that BigQuery's remote functions call.
type CloudRun struct {
	ProjectNumber string `yaml:"project_number"` // determines the service's URL before the service exists
	Region        string `yaml:"region"`         // region of the service; by default the location, if it is a region

	// service account of the service; by default SERVICE-server@PROJECT.iam.gserviceaccount.com
	Account        string `yaml:"account"`
	NightlyAccount string `yaml:"nightly_account"` // account of the scheduled query; by default SERVICE-nightly@…
	// service accounts of connections that the server admits; by default those of all BigQuery connections, so that IAM
	// alone decides
	Callers     []string `yaml:"callers"`
	Concurrency int      `yaml:"concurrency"` // concurrent calls of an instance; 0: 80

	// connection to the model of the judge bigqueryai: PROJECT.LOCATION.CONNECTION; without it the service's account
	// calls it
	ModelConnection string `yaml:"model_connection"`

	Network    string `yaml:"network"`    // VPC network for all outgoing connections
	Subnetwork string `yaml:"subnetwork"` // subnetwork of Network, in the region

	Perimeter    string `yaml:"perimeter"`     // name of the perimeter of VPC Service Controls
	AccessPolicy string `yaml:"access_policy"` // number of the perimeter's access policy
	AccessLevel  string `yaml:"access_level"`  // access level that admits users from outside the perimeter
}

// connectionAccounts is the pattern of the service accounts of BigQuery's connections, in all projects.
const connectionAccounts = "*@gcp-sa-bigquery-condel.iam.gserviceaccount.com"

const defaultConcurrency = 80 // default of Cloud Run

var (
	projectNumber = lazyregexp.New(`^[1-9][0-9]{0,18}$`)
	cloudRegion   = lazyregexp.New(`^[a-z]+(-[a-z]+)+[0-9]+$`)
	accountEmail  = lazyregexp.New(`^[a-z0-9][a-z0-9._-]*@[a-z0-9-]+(\.[a-z0-9-]+)+$`)
	callerEmail   = lazyregexp.New(`^(\*|[a-z0-9][a-z0-9._-]*)@[a-z0-9-]+(\.[a-z0-9-]+)+$`)
	connectionID  = lazyregexp.New(`^[a-z0-9.:-]+\.[A-Za-z0-9-]+\.[A-Za-z0-9_-]+$`)
	networkName   = lazyregexp.New(`^([a-z0-9.:-]+/)*[a-z]([a-z0-9-]{0,61}[a-z0-9])?$`)
	policyName    = lazyregexp.New(`^[A-Za-z][A-Za-z0-9_]{0,49}$`)
)

func (c *CloudRun) fields() []Field {
	return []Field{
		{"deploy.cloud_run.project_number", &c.ProjectNumber, "", `"123456789012"`},
		{"deploy.cloud_run.region", &c.Region, "", "europe-west1"},
		{"deploy.cloud_run.account", &c.Account, "", "badger@acme-analytics.iam.gserviceaccount.com"},
		{"deploy.cloud_run.nightly_account", &c.NightlyAccount, "", "badger-nightly@acme-analytics.iam.gserviceaccount.com"},
		{"deploy.cloud_run.model_connection", &c.ModelConnection, "", "acme-analytics.eu.models"},
		{"deploy.cloud_run.network", &c.Network, "", "default"},
		{"deploy.cloud_run.subnetwork", &c.Subnetwork, "", "default"},
		{"deploy.cloud_run.perimeter", &c.Perimeter, "", "badger"},
		{"deploy.cloud_run.access_policy", &c.AccessPolicy, "", `"987654321"`},
		{"deploy.cloud_run.access_level", &c.AccessLevel, "", "office"},
	}
}

// complete sets missing values to their defaults and returns an error for an invalid value.
func (c *CloudRun) complete() error {
	bad := func(format string, args ...any) error {
		return errcode.New(errcode.InvalidArgument, "values: deploy.cloud_run."+format, args...)
	}
	for _, f := range []struct {
		key, value string
		looks      *lazyregexp.Regexp
		want       string
	}{
		{"project_number", c.ProjectNumber, projectNumber, `the number of the project in quotes, such as "123456789012"`},
		{"region", c.Region, cloudRegion, "a region, such as europe-west1"},
		{"account", c.Account, accountEmail, "the e-mail address of a service account"},
		{"nightly_account", c.NightlyAccount, accountEmail, "the e-mail address of a service account"},
		{"model_connection", c.ModelConnection, connectionID, "PROJECT.LOCATION.CONNECTION"},
		{"network", c.Network, networkName, "the name of a VPC network"},
		{"subnetwork", c.Subnetwork, networkName, "the name of a subnetwork"},
		{"perimeter", c.Perimeter, policyName, "a letter, and then letters, digits and _"},
		{"access_policy", c.AccessPolicy, projectNumber, `the number of the access policy in quotes, such as "987654321"`},
		{"access_level", c.AccessLevel, policyName, "a letter, and then letters, digits and _"},
	} {
		if f.value != "" && !f.looks.MatchString(f.value) {
			return bad("%s is %.60q, expected %s", f.key, f.value, f.want)
		}
	}
	if len(c.Callers) == 0 {
		c.Callers = []string{connectionAccounts}
	}
	for _, email := range c.Callers {
		if !callerEmail.MatchString(email) {
			return bad("callers: invalid service account %.60q; expected an e-mail address such as bqcx-123456789012-ab12@gcp-sa-bigquery-condel.iam.gserviceaccount.com", email)
		}
	}
	if c.Concurrency == 0 {
		c.Concurrency = defaultConcurrency
	}
	if c.Concurrency < 1 || c.Concurrency > 1000 {
		return bad("concurrency is %d, expected 1 to 1000, or 0 for %d", c.Concurrency, defaultConcurrency)
	}
	if c.Subnetwork != "" && c.Network == "" {
		return bad("subnetwork is set and network is not")
	}
	if (c.Perimeter == "") != (c.AccessPolicy == "") || c.AccessLevel != "" && c.Perimeter == "" {
		return bad("perimeter and access_policy belong together, and access_level to them")
	}
	return nil
}
