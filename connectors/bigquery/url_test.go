package bigquery_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/badger-eval/badger/connectors/bigquery"
	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/errcode"
)

func TestParseURL(t *testing.T) {
	base := bigquery.Options{Project: "p", BillingProject: "p", Storage: bigquery.StorageAuto, Streams: 1, PageRows: 10_000}
	with := func(f func(o *bigquery.Options)) bigquery.Options {
		o := base
		f(&o)
		return o
	}
	for _, tc := range []struct {
		why, url string
		want     bigquery.Options
	}{
		{"a project", "bigquery://p", base},
		{"a project and a dataset", "bigquery://p/d", with(func(o *bigquery.Options) { o.Dataset = "d" })},
		{"a project of a domain", "bigquery://example.com:p/d", with(func(o *bigquery.Options) {
			o.Project, o.BillingProject, o.Dataset = "example.com:p", "example.com:p", "d"
		})},
		{"who pays, where, how", "bigquery://p/d?location=EU&billing_project=b&storage=off&streams=4&page_rows=7&max_bytes_billed=1000", with(func(o *bigquery.Options) {
			o.Dataset, o.Location, o.BillingProject, o.Storage, o.Streams, o.PageRows, o.MaxBytesBilled = "d", "EU", "b", bigquery.StorageOff, 4, 7, 1000
		})},
		{"delegates", "bigquery://p?impersonate=a@x.iam.gserviceaccount.com,b@x.iam.gserviceaccount.com", with(func(o *bigquery.Options) {
			o.Impersonate = []string{"a@x.iam.gserviceaccount.com", "b@x.iam.gserviceaccount.com"}
		})},
		{"an emulator here", "bigquery://p?endpoint=http://127.0.0.1:9050&storage_endpoint=localhost:9060", with(func(o *bigquery.Options) {
			o.Endpoint, o.StorageEndpoint = "http://127.0.0.1:9050", "localhost:9060"
		})},
		{"an emulator elsewhere, allowed", "bigquery://p?endpoint=http://emulator:9050&allow_insecure=true", with(func(o *bigquery.Options) { o.Endpoint, o.AllowInsecure = "http://emulator:9050", true })},
		{"a private endpoint", "bigquery://p?endpoint=https://bigquery-x.p.googleapis.com&token_file=/t", with(func(o *bigquery.Options) { o.Endpoint, o.TokenFile = "https://bigquery-x.p.googleapis.com", "/t" })},
	} {
		got, err := bigquery.ParseURL(tc.url)
		if err != nil {
			t.Errorf("%s: %v", tc.why, err)
		} else if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s: %s", tc.why, diff)
		}
	}
	for _, tc := range []struct{ why, url, says string }{
		{"no project", "bigquery:///d", "project is missing"},
		{"another form", "bigquery:p", "bigquery://PROJECT"},
		{"a password in it", "bigquery://u:hunter2@p/d", "bigquery://PROJECT"},
		{"too many parts", "bigquery://p/d/t", "bigquery://PROJECT"},
		{"an unknown option", "bigquery://p?locaton=EU", "there are allow_insecure, billing_project, "},
		{"twice", "bigquery://p?location=EU&location=US", "2 times"},
		{"no number", "bigquery://p?streams=many", "a number"},
		{"no location", "bigquery://p?location=E%20U", "such as EU"},
		{"storage of another kind", "bigquery://p?storage=fast", "auto, on or off"},
		{"two credentials", "bigquery://p?token_file=hunter2&credentials_file=hunter2", "exclude each other"},
		{"plaintext beyond this machine", "bigquery://p?endpoint=http://emulator:9050", "expected https"},
		{"its Storage API beyond this machine", "bigquery://p?endpoint=http://127.0.0.1:1&storage_endpoint=emulator:2", "expected https"},
		{"credentials in plaintext", "bigquery://p?endpoint=http://emulator:9050&allow_insecure=true&token_file=hunter2", "not sent"},
		{"a password in the endpoint", "bigquery://p?endpoint=http://u:hunter2@127.0.0.1:1", "expected http://HOST"},
		{"Storage elsewhere without its address", "bigquery://p?endpoint=http://127.0.0.1:1&storage=on", "storage_endpoint"},
		{"Storage elsewhere and REST at Google", "bigquery://p?storage_endpoint=127.0.0.1:1", "needs endpoint"},
		{"options that cannot be read", "bigquery://p?location=%zz", "OPTION=VALUE"},
	} {
		_, err := bigquery.ParseURL(tc.url)
		if errcode.Of(err) != errcode.InvalidArgument || !strings.Contains(err.Error(), tc.says) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v, want invalid_argument that says %q", tc.why, err, tc.says)
		}
	}
}

func FuzzParseURL(f *testing.F) {
	f.Add("bigquery://p/d?location=EU&streams=3&endpoint=http://localhost:1")
	f.Add("bigquery://p?impersonate=,")
	f.Fuzz(func(t *testing.T, url string) {
		o, err := bigquery.ParseURL(url)
		if err == nil && (o.Project == "" || o.Streams < 1 || strings.HasPrefix(o.Endpoint, "http:") && !o.AllowInsecure && o.TokenFile != "" && !strings.Contains(o.Endpoint, "127.") && !strings.Contains(o.Endpoint, "localhost") && !strings.Contains(o.Endpoint, "::")) {
			t.Errorf("%q gave %+v", url, o)
		}
	})
}

// Credentials that are missing or no credentials are told by the file's name and what was expected,
// never by what is in it.
func TestCredentials(t *testing.T) {
	dir := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", file("broken.json", `{"hunter2`))
	for _, tc := range []struct{ why, options, says string }{
		{"none named", "", "credentials=metadata"},
		{"a broken default", "credentials=default", `"broken.json": expected the JSON`},
		{"no such file", "credentials_file=" + filepath.Join(dir, "nothing.json"), `the file "nothing.json" of the credentials does not exist`},
		{"no such token", "token_file=" + filepath.Join(dir, "nothing"), `the file "nothing" of the access token does not exist`},
		{"no JSON", "credentials_file=" + file("text.json", "hunter2"), `"text.json": expected the JSON`},
		{"JSON of something else", "credentials_file=" + file("other.json", `{"type": "hunter2", "private_key": "hunter2"}`), "external account"},
		{"a service account without a key", "credentials_file=" + file("sa.json", `{"type": "service_account", "client_email": "hunter2", "private_key": "hunter2"}`), ""},
		{"a token that is JSON", "token_file=" + file("token.json", `{"access_token": "hunter2"}`), "one access token"},
		{"a directory", "token_file=" + dir, "cannot be read"},
	} {
		_, _, err := bigquery.Open(context.Background(), "bigquery://p?"+tc.options, driver.Options{})
		if tc.says == "" { // may be found out by the first request only
			continue
		}
		if errcode.Of(err) != errcode.Unauthenticated || !strings.Contains(err.Error(), tc.says) || strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), dir) {
			t.Errorf("%s: %v (%v), want unauthenticated that says %q", tc.why, err, errcode.Of(err), tc.says)
		}
	}
}

// Each kind of credentials file is read; none of these asks the network before the first request.
func TestCredentialsFiles(t *testing.T) {
	for name, content := range map[string]string{
		"workload identity": `{"type": "external_account", "audience": "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/q",
 "subject_token_type": "urn:ietf:params:oauth:token-type:jwt", "token_url": "https://sts.googleapis.com/v1/token", "credential_source": {"file": "/var/run/token"}}`,
		"a user": `{"type": "authorized_user", "client_id": "c", "client_secret": "s", "refresh_token": "r"}`,
	} {
		path := filepath.Join(t.TempDir(), "credentials.json")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		c, _, err := bigquery.Open(context.Background(), "bigquery://p?credentials_file="+path, driver.Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		c.Close() //nolint:errcheck // nothing was asked
		if c, _, err = bigquery.Open(context.Background(), "bigquery://p?impersonate=a@p.iam.gserviceaccount.com&credentials_file="+path, driver.Options{}); err != nil {
			t.Errorf("%s, to impersonate: %v", name, err)
			continue
		}
		c.Close() //nolint:errcheck // nothing was asked
	}
}
