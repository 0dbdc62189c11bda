package bigquery

import (
	"net"
	"net/url"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/connectors/bigquery/internal/signin"
	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/internal/driverbase"
	"github.com/badger-eval/badger/internal/errcode"
)

// StorageUse is how the Storage Read API is used for large results.
type StorageUse string

// The uses of the Storage Read API.
const (
	StorageAuto StorageUse = "auto" // if it is allowed; otherwise REST pages
	StorageOn   StorageUse = "on"   // always; an error if it is not allowed
	StorageOff  StorageUse = "off"  // never; only REST pages
)

// Options configure the connection to a project.
type Options struct {
	driver.Options
	Project        string // contains the datasets
	Dataset        string // default dataset of names; "" is none
	Location       string // of jobs, such as EU; "" is the dataset's location
	BillingProject string // runs and pays for the jobs; "" is Project

	signin.Account // the credentials

	Endpoint        string // address of the REST API, such as http://127.0.0.1:9050; "" is Google's
	StorageEndpoint string // address of the Storage API, HOST:PORT; "" with an Endpoint is none
	AllowInsecure   bool   // allow an Endpoint on another machine without TLS and credentials

	Storage        StorageUse
	Streams        int   // number of concurrent streams; with more than one the order of rows is lost; 0 is one
	PageRows       int64 // number of rows in a REST page; 0 is 10,000
	MaxBytesBilled int64 // limit for each query; 0 is BigQuery's
}

func (o *Options) options() driverbase.Options {
	return driverbase.Options{
		"location": driverbase.Takes("a location such as EU or us-central1",
			func(v string) bool { o.Location = v; return plainName(v) }),
		"billing_project":  driverbase.Text(&o.BillingProject),
		"credentials_file": driverbase.Text(&o.CredentialsFile), "token_file": driverbase.Text(&o.TokenFile),
		"credentials": driverbase.Choice(&o.Credentials, signin.Metadata, signin.Default),
		"impersonate": driverbase.Takes("a value",
			func(v string) bool { o.Impersonate = strings.Split(v, ","); return true }),
		"proxy":    driverbase.Proxy(&o.Proxy),
		"endpoint": driverbase.Text(&o.Endpoint), "storage_endpoint": driverbase.Text(&o.StorageEndpoint),
		"allow_insecure": driverbase.Bool(&o.AllowInsecure),
		"storage":        driverbase.Choice(&o.Storage, StorageAuto, StorageOn, StorageOff),
		"streams": driverbase.Takes("a number from 1 to 1000", func(v string) bool {
			n, err := strconv.Atoi(v)
			o.Streams = n
			return err == nil && n >= 1 && n <= 1000
		}),
		"page_rows":        driverbase.Positive(&o.PageRows, "a positive number"),
		"max_bytes_billed": driverbase.Positive(&o.MaxBytesBilled, "a positive number of bytes"),
	}
}

func plainName(s string) bool {
	for i := range len(s) {
		if c := s[i]; c != '-' && c != '_' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return false
		}
	}
	return s != ""
}

// ParseURL parses bigquery://PROJECT/DATASET?OPTION=VALUE. The dataset, which is optional, is the default for names
// without one. Options:
//
//	location          where jobs run, such as EU; by default that of the dataset
//	billing_project   runs and pays the jobs; by default the project
//	credentials_file  service account, workload identity (external account), impersonation or user credentials
//	token_file        an access token that something else renews
//	credentials       metadata: the service account of this machine, from Google's metadata server; default: Google's application default credentials
//	proxy             http(s)://HOST:PORT, for all connections but those to the metadata server
//	impersonate       a service account to act as; several, with commas, are a chain of delegates
//	endpoint          another address of the REST API; one on this machine needs neither TLS nor credentials
//	storage_endpoint  the Storage API there, HOST:PORT
//	allow_insecure    true: an endpoint beyond this machine without TLS, and then without credentials
//	storage           auto, on, off
//	streams           of the Storage Read API, read concurrently; with more than one the order of rows is lost
//	page_rows         of REST pages
//	max_bytes_billed  by one query, which fails before it costs more
//
// The error contains no values.
func ParseURL(raw string) (Options, error) {
	o := Options{Storage: StorageAuto}
	rest, ok := strings.CutPrefix(raw, Scheme+"://")
	path, query, _ := strings.Cut(rest, "?")
	project, dataset, _ := strings.Cut(strings.TrimSuffix(path, "/"), "/")
	if !ok || strings.ContainsAny(dataset, "/ ") || strings.ContainsAny(project, " @") {
		return o, errcode.New(errcode.InvalidArgument,
			"expected bigquery://PROJECT/DATASET?location=EU, the dataset and the options as needed")
	}
	o.Project, o.Dataset = project, dataset
	if err := o.options().Read("bigquery", query); err != nil {
		return o, err
	}
	return o, o.check()
}

// check sets defaults, and returns an error for missing or conflicting options.
func (o *Options) check() error {
	if o.Storage == "" {
		o.Storage = StorageAuto
	}
	if o.Streams == 0 {
		o.Streams = 1
	}
	if o.PageRows == 0 {
		o.PageRows = 10_000
	}
	if o.Project == "" {
		return errcode.New(errcode.InvalidArgument, "bigquery: the project is missing; expected bigquery://PROJECT/DATASET")
	}
	if o.BillingProject == "" {
		o.BillingProject = o.Project
	}
	if o.CredentialsFile != "" && o.TokenFile != "" || o.Credentials != "" && o.CredentialsFile+o.TokenFile != "" {
		return errcode.New(errcode.InvalidArgument,
			"bigquery: credentials_file, token_file and credentials exclude each other")
	}
	if o.StorageEndpoint != "" && o.Endpoint == "" {
		return errcode.New(errcode.InvalidArgument,
			"bigquery: storage_endpoint needs endpoint, the REST API of the same server")
	}
	if o.Endpoint == "" {
		return nil
	}
	u, err := url.Parse(o.Endpoint)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || u.RawQuery != "" {
		return errcode.New(errcode.InvalidArgument, "bigquery: option endpoint: expected http://HOST:PORT or https://HOST")
	}
	if u.Scheme == "http" {
		storageHost, _, err := net.SplitHostPort(o.StorageEndpoint)
		local := driver.Loopback(u.Hostname()) && (o.StorageEndpoint == "" || err == nil && driver.Loopback(storageHost))
		if !local && !o.AllowInsecure {
			return errcode.New(errcode.InvalidArgument, "bigquery: option endpoint: beyond this machine expected https; allow_insecure=true permits an endpoint without TLS and credentials")
		}
		if !local && o.hasCredentials() {
			return errcode.New(errcode.InvalidArgument,
				"bigquery: credentials are not sent to an endpoint beyond this machine without TLS")
		}
	}
	if o.Storage == StorageOn && o.StorageEndpoint == "" {
		return errcode.New(errcode.InvalidArgument,
			"bigquery: storage=on at another endpoint needs storage_endpoint=HOST:PORT")
	}
	return nil
}

// plaintext reports whether the endpoint is used without TLS.
func (o *Options) plaintext() bool { return strings.HasPrefix(o.Endpoint, "http:") }

func (o *Options) hasCredentials() bool {
	return o.CredentialsFile != "" || o.TokenFile != "" || o.Credentials != "" || len(o.Impersonate) > 0
}
