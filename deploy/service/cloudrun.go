package service

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/lazyregexp"
)

// CloudRunService is badger serve on Cloud Run, with the names that determine which permissions it needs.
type CloudRunService struct {
	Name, Project             string
	Location, Dataset, Tables string // BigQuery's location, and datasets of functions and of badger's tables
	Connection                string // BigQuery connection that calls the service
	Owner, Caller             string // IAM members that create and that call the functions
	Nightly                   bool   // a scheduled query evaluates
	Deploy                    *Deployment
	Dialect                   driver.Dialect // BigQuery's SQL dialect
}

// Endpoint returns the URL of the service, https://SERVICE-NUMBER.REGION.run.app, which is known from the project's
// number before the service exists. It sets the region from location if the values have none.
func (c *CloudRun) Endpoint(service, location string) (string, error) {
	if err := c.complete(); err != nil {
		return "", err
	}
	if err := c.SetRegion(location); err != nil {
		return "", err
	}
	name := cmp.Or(service, "badger") + "-" + c.ProjectNumber
	if len(name) > 63 {
		return "", errcode.New(errcode.InvalidArgument, "values: Cloud Run has no address that is known in advance for a service with the name %.60q: it is %d characters long with the project's number, and 63 are possible; shorten service, or set endpoint", service, len(name))
	}
	return "https://" + name + "." + c.Region + ".run.app", nil
}

// SetRegion sets the region to location if the values have none. It returns an error if location is not a region, such
// as EU.
func (c *CloudRun) SetRegion(location string) error {
	if c.Region != "" {
		return nil
	}
	region := strings.ToLower(location)
	if !cloudRegion.MatchString(region) {
		return errcode.New(errcode.InvalidArgument, "values: deploy.cloud_run.region is missing: the location %.40q is not a region; expected a region in this location, such as europe-west1", location)
	}
	c.Region = region
	return nil
}

// outsideEU are the regions in Europe, London and Zurich, that are not in BigQuery's multi-region EU, which covers the
// member states of the European Union.
var outsideEU = []string{"europe-west2", "europe-west6"}

// CheckLocation returns an error unless the service's region, if set, and the location in the warehouse's URL, if any,
// are in BigQuery's location of. An empty location is not checked. A remote function is called in the region of its
// dataset, or in any region inside its multi-region.
func (d *Deployment) CheckLocation(of string) error {
	bad := func(format string, args ...any) error {
		return errcode.New(errcode.InvalidArgument, "values: "+format, args...)
	}
	location, region := strings.ToLower(of), d.CloudRun.Region
	if location == "" {
		return nil // commands that need it report that it is missing
	}
	inside, want := region == location, location
	switch {
	case location == "eu":
		inside = strings.HasPrefix(region, "europe-") && !slices.Contains(outsideEU, region)
		want = "a region in the European Union, such as europe-west1"
	case location == "us":
		inside, want = strings.HasPrefix(region, "us-"), "a region in the United States, such as us-central1"
	case !cloudRegion.MatchString(location):
		return bad("location is %.40q, expected EU, US, or a region, such as europe-west1", of)
	}
	if region != "" && !inside {
		return bad(
			"deploy.cloud_run.region is %.40q, and location is %.40q: the service must be in this location; expected %s", region,
			of, want)
	}
	if u, err := url.Parse(d.Warehouse); err == nil && u.Scheme == "bigquery" {
		if l := u.Query().Get("location"); l != "" && !strings.EqualFold(l, of) {
			return bad("deploy.warehouse has location=%.40s, and location is %.40q: one query reads datasets of one location", l,
				of)
		}
	}
	return nil
}

// Binding is a role that is granted to a member on a resource of Google Cloud.
type Binding struct {
	On       string `json:"on"`       // project, dataset, connection, secret or service
	Resource string `json:"resource"` // name of the resource
	Role     string `json:"role"`
	Member   string `json:"member"` // group:…, serviceAccount:…; empty if Variable is set
	// Variable is the shell variable with the service account of a connection, which is known when the connection
	// exists: CALLER or MODEL_CALLER.
	Variable string `json:"member_of,omitempty"`
	Why      string `json:"why"`
}

// functionOwner is the custom role for creating functions over a connection. Google's own role with
// bigquery.connections.delegate may also delete connections and change who may use them.
const functionOwner = "badgerFunctionOwner"

// FunctionOwnerPermissions are the permissions of the role functionOwner.
const FunctionOwnerPermissions = "bigquery.connections.delegate,bigquery.connections.get,bigquery.connections.use"

// Account returns the service account that badger serve runs as.
func (s *CloudRunService) Account() string {
	return cmp.Or(s.Deploy.CloudRun.Account, accountID(s.Name+"-server")+"@"+s.accountDomain())
}

// NightlyAccount returns the service account of the scheduled query; "" if nothing is scheduled.
func (s *CloudRunService) NightlyAccount() string {
	if !s.Nightly {
		return ""
	}
	return cmp.Or(s.Deploy.CloudRun.NightlyAccount, accountID(s.Name+"-nightly")+"@"+s.accountDomain())
}

// accountID returns name, cut to the 30 characters that the name of a service account may have.
func accountID(name string) string { return strings.TrimRight(name[:min(len(name), 30)], "-") }

// accountDomain returns the domain of the project's service accounts. The project example.com:acme has
// accounts in acme.example.com.iam.gserviceaccount.com.
func (s *CloudRunService) accountDomain() string {
	domain, name, scoped := strings.Cut(s.Project, ":")
	if scoped {
		return name + "." + domain + ".iam.gserviceaccount.com"
	}
	return s.Project + ".iam.gserviceaccount.com"
}

// ConnectionName returns the full name of the connection that calls the service, PROJECT.LOCATION.CONNECTION.
func (s *CloudRunService) ConnectionName() string {
	return s.Project + "." + s.Location + "." + s.Connection
}

// Bindings returns all roles that must be granted for badger on Cloud Run.
func (s *CloudRunService) Bindings() []Binding {
	d := s.Deploy
	service, judged := "serviceAccount:"+s.Account(), d.Judge.Asked()
	project := s.Project
	out := []Binding{
		{"service", s.Name, "roles/run.invoker", "", "CALLER", "BigQuery calls the service."},
		{"connection", s.ConnectionName(), "projects/" + project + "/roles/" + functionOwner, s.Owner, "",
			"The owner creates functions over the connection."},
		{"connection", s.ConnectionName(), "roles/bigquery.connectionUser", s.Caller, "",
			"Callers call functions over the connection."},
	}
	for _, who := range d.Report.People() {
		kind := "user:"
		if strings.HasSuffix(who, ".gserviceaccount.com") {
			kind = "serviceAccount:"
		}
		out = append(out,
			Binding{"service", s.Name, "roles/run.invoker", kind + who, "", "Whom deploy.report names opens the report."})
	}
	if judged && d.Judge.Secret != "" {
		out = append(out,
			Binding{"secret", d.Judge.Secret, "roles/secretmanager.secretAccessor", service, "",
				"The service reads the judge's key."})
	}
	if u, err := url.Parse(d.Warehouse); err == nil && u.Scheme == "bigquery" {
		data, billing := u.Host, cmp.Or(u.Query().Get("billing_project"), u.Host)
		out = append(out,
			Binding{"project", billing, "roles/bigquery.jobUser", service, "",
				"The service runs queries: promoted judges, references, the ledger."},
			Binding{"project", billing, "roles/bigquery.readSessionUser", service, "", "The service reads large results."})
		role, why := "roles/bigquery.dataViewer", "The service reads promoted judges."
		switch {
		case judged:
			role, why = "roles/bigquery.dataEditor", "The service keeps the judge's replies, and reads promoted judges."
		case d.Report.Labels():
			role, why = "roles/bigquery.dataEditor", "The service keeps labels, and reads promoted judges."
		}
		out = append(out, Binding{"dataset", data + "." + s.Tables, role, service, "", why})
		if other := strings.Trim(u.Path, "/"); other != "" && other != s.Tables {
			out = append(out,
				Binding{"dataset", data + "." + other, "roles/bigquery.dataViewer", service, "",
					"The service reads results that references name."})
		}
	}
	if d.Judge.Backend == "bigqueryai" {
		if c := d.CloudRun.ModelConnection; c != "" {
			out = append(out,
				Binding{"connection", c, "roles/bigquery.connectionUser", service, "",
					"The service asks the model over this connection."},
				Binding{"project", project, "roles/aiplatform.user", "", "MODEL_CALLER", "The connection asks the model."})
		} else {
			out = append(out, Binding{"project", project, "roles/aiplatform.user", service, "", "The service asks the model."})
		}
	}
	if nightly := s.NightlyAccount(); nightly != "" {
		nightly = "serviceAccount:" + nightly
		out = append(out,
			Binding{"project", project, "roles/bigquery.jobUser", nightly, "", "The scheduled query runs."},
			Binding{"dataset", project + "." + s.Dataset, "roles/bigquery.dataEditor", nightly, "",
				"The scheduled query calls the procedure and writes scores."},
			Binding{"connection", s.ConnectionName(), "roles/bigquery.connectionUser", nightly, "",
				"The scheduled query calls functions."})
	}
	return out
}

// BindingsOn returns those of all that are on a kind of resource, such as dataset.
func BindingsOn(kind string, all []Binding) []Binding {
	return slices.DeleteFunc(slices.Clone(all), func(b Binding) bool { return b.On != kind })
}

// member returns the member as a word of a shell command.
func (b *Binding) member() string {
	if b.Variable != "" {
		return `"serviceAccount:$` + b.Variable + `"`
	}
	return ShellWord(b.Member)
}

// Grant returns the shell command that grants a role. For a connection only the API can do this, so it calls the
// function connection_role of the script that badger deploy writes.
func (s *CloudRunService) Grant(b Binding) string { return s.command(&b, "add", "GRANT", "TO") }

// Revoke returns the shell command that revokes a role.
func (s *CloudRunService) Revoke(b Binding) string { return s.command(&b, "remove", "REVOKE", "FROM") }

func (s *CloudRunService) command(b *Binding, verb, sql, to string) string {
	project, role := ShellWord(s.Project), "--role="+ShellWord(b.Role)
	member := "--member=" + b.member()
	switch b.On {
	case "project":
		return fmt.Sprintf("gcloud projects %s-iam-policy-binding %s %s %s --condition=None", verb, ShellWord(b.Resource),
			member, role)
	case "secret":
		return fmt.Sprintf("gcloud secrets %s-iam-policy-binding %s --project=%s %s %s", verb, ShellWord(b.Resource), project,
			member, role)
	case "service":
		return fmt.Sprintf("gcloud run services %s-iam-policy-binding %s --project=%s --region=%s %s %s", verb,
			ShellWord(b.Resource), project, ShellWord(cmp.Or(s.Deploy.CloudRun.Region, "REGION")), member, role)
	case "dataset":
		dot := strings.LastIndexByte(b.Resource, '.') // an ID of a project may have dots
		q := fmt.Sprintf("%s `%s` ON SCHEMA %s %s %s", sql, b.Role,
			s.Dialect.Identifier(b.Resource[:dot], b.Resource[dot+1:]), to, s.Dialect.Literal(b.Member))
		return fmt.Sprintf("bq query --project_id=%s --location=%s --use_legacy_sql=false %s", project, ShellWord(s.Location),
			ShellWord(q))
	}
	return fmt.Sprintf("connection_role %s %s %s %s", verb, ShellWord(b.Resource), b.member(), ShellWord(b.Role))
}

var shellPlain = lazyregexp.New(`^[A-Za-z0-9_@%+=:,./-]+$`)

// ShellWord quotes a string as one word of a POSIX shell.
func ShellWord(s string) string {
	if shellPlain.MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
