package service

import (
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/lazyregexp"
)

// Databricks holds the values under deploy.databricks, for a Databricks bundle.
type Databricks struct {
	DevCatalog string `yaml:"dev_catalog"` // catalog of the target dev; by default DATABASE_dev
	Schema     string `yaml:"schema"`      // schema of the volume; by default badger_files
	Volume     string `yaml:"volume"`      // volume with badger's program; by default programs

	Binary string `yaml:"binary"` // file in the volume; by default badger-linux-amd64
	SHA256 string `yaml:"sha256"` // SHA-256 of Binary, in hexadecimal

	ServicePrincipal string   `yaml:"service_principal"` // application ID of the principal that prod runs as
	Nightly          string   `yaml:"nightly"`           // what the nightly job runs: procedure or binary
	Notify           []string `yaml:"notify"`            // e-mail addresses to notify of failed jobs
	AppSize          string   `yaml:"app_size"`          // MEDIUM or LARGE
}

var (
	sha256Hex     = lazyregexp.New(`^[0-9a-f]{64}$`)
	applicationID = lazyregexp.New(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)
	fileName      = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$`)
	address       = lazyregexp.New(`^[^@\s]+@[^@\s]+\.[^@\s]+$`)
)

func (d *Databricks) fields() []Field {
	return []Field{
		{"deploy.databricks.dev_catalog", &d.DevCatalog, "", "analytics_dev"},
		{"deploy.databricks.schema", &d.Schema, "badger_files", "badger_files"},
		{"deploy.databricks.volume", &d.Volume, "programs", "programs"},
		{"deploy.databricks.binary", &d.Binary, "badger-linux-amd64", "badger-linux-amd64"},
		{"deploy.databricks.sha256", &d.SHA256, "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
		{"deploy.databricks.service_principal", &d.ServicePrincipal, "", "12345678-90ab-cdef-1234-567890abcdef"},
		{"deploy.databricks.nightly", &d.Nightly, "procedure", "procedure"},
		{"deploy.databricks.app_size", &d.AppSize, "MEDIUM", "MEDIUM"},
	}
}

// complete returns an error for an invalid value.
func (d *Databricks) complete() error {
	bad := func(format string, args ...any) error {
		return errcode.New(errcode.InvalidArgument, "values: deploy.databricks."+format, args...)
	}
	for _, f := range []struct {
		key, value string
		looks      *lazyregexp.Regexp
		want       string
	}{
		{"sha256", d.SHA256, sha256Hex, "64 hexadecimal digits in lower case"},
		{"service_principal", d.ServicePrincipal, applicationID, "the application id of a service principal"},
		{"binary", d.Binary, fileName, "the name of a file"},
	} {
		if f.value != "" && !f.looks.MatchString(f.value) {
			return bad("%s is %.80q, expected %s", f.key, f.value, f.want)
		}
	}
	for _, f := range []struct{ key, value string }{{"dev_catalog", d.DevCatalog}, {"schema", d.Schema},
		{"volume", d.Volume}} {
		// Unity Catalog's own rule for names.
		if len(f.value) > 255 || strings.ContainsAny(f.value, "./ ") {
			return bad("%s is %.60q; names of Unity Catalog have no dot, space or slash and at most 255 bytes", f.key, f.value)
		}
	}
	if d.Nightly != "procedure" && d.Nightly != "binary" {
		return bad("nightly is %.40q, expected procedure, or binary", d.Nightly)
	}
	if d.AppSize != "MEDIUM" && d.AppSize != "LARGE" {
		return bad("app_size is %.40q, expected MEDIUM or LARGE", d.AppSize)
	}
	for _, a := range d.Notify {
		if !address.MatchString(a) {
			return bad("notify: invalid e-mail address %.60q", a)
		}
	}
	return nil
}
