// Package signin authenticates to Google. It builds credentials from files, tokens, the metadata server and
// impersonated accounts, and clients that send them. Unlike Google's libraries, it does not contact hosts named by the
// environment.
package signin

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"cloud.google.com/go/auth"
	"cloud.google.com/go/auth/credentials"
	"cloud.google.com/go/auth/credentials/impersonate"

	"github.com/badger-eval/badger/connectors/internal/driverbase"
	"github.com/badger-eval/badger/internal/errcode"
)

// Account is the location of the credentials. It contains no secrets.
type Account struct {
	CredentialsFile string // a service account, workload identity or other credentials file
	TokenFile       string // a file with an access token, read for each request
	Credentials     Credentials
	Impersonate     []string // service accounts: the last is impersonated, the others are its delegates

	Proxy *url.URL // http(s)://HOST:PORT, or nil for no proxy; proxies of the environment are ignored
}

// Credentials is a source of credentials other than a configured file.
type Credentials string

// The sources of credentials.
const (
	// Metadata is the machine's own service account, from Google's metadata server.
	Metadata Credentials = "metadata"
	// Default is Google's application default credentials: the file in GOOGLE_APPLICATION_CREDENTIALS, else gcloud's
	// file, else the metadata server.
	Default Credentials = "default"
)

// scopes are the scopes of tokens. IAM restricts the account further; AI functions without a connection act as the user
// and need the whole platform.
var scopes = []string{"https://www.googleapis.com/auth/cloud-platform"}

// Sign returns the credentials of the account. Errors distinguish missing configuration, missing files and malformed
// ones.
func (a *Account) Sign() (*auth.Credentials, error) {
	base, err := a.base()
	if err != nil || len(a.Impersonate) == 0 {
		return base, err
	}
	last := len(a.Impersonate) - 1
	creds, err := impersonate.NewCredentials(&impersonate.CredentialsOptions{
		TargetPrincipal: a.Impersonate[last], Delegates: a.Impersonate[:last], Scopes: scopes, Credentials: base,
		Client: Client(a.Proxy, base), Logger: Silent,
	})
	if err != nil {
		return nil, errcode.Because(err, errcode.Unauthenticated, "bigquery: service account %s cannot be impersonated; the account that asks needs roles/iam.serviceAccountTokenCreator on it", a.Impersonate[last])
	}
	return creds, nil
}

func (a *Account) base() (*auth.Credentials, error) {
	if a.TokenFile != "" {
		t := tokenFile(a.TokenFile)
		if _, err := t.Token(context.Background()); err != nil {
			return nil, err
		}
		return auth.NewCredentials(&auth.CredentialsOptions{TokenProvider: t}), nil
	}
	path, err := a.source()
	switch {
	case err != nil:
		return nil, err
	case path == "":
		return auth.NewCredentials(
			&auth.CredentialsOptions{TokenProvider: auth.NewCachedTokenProvider(metadataServer{plain(nil)}, nil)}), nil
	}
	return fileCredentials(path, plain(a.Proxy))
}

// Named returns an error if no credentials are configured.
func (a *Account) Named() error {
	if a.Credentials != "" || a.CredentialsFile+a.TokenFile != "" {
		return nil
	}
	return errcode.New(errcode.Unauthenticated, "bigquery: no credentials are named; expected credentials_file=FILE, token_file=FILE, credentials=metadata for the service account of this machine (Cloud Run, GKE, Compute Engine), or credentials=default for Google's application default credentials")
}

// source returns the credentials file, or "" for the metadata server or a token file.
func (a *Account) source() (string, error) {
	switch {
	case a.CredentialsFile != "":
		return a.CredentialsFile, nil
	case a.TokenFile != "", a.Credentials == Metadata:
		return "", nil
	}
	if err := a.Named(); err != nil {
		return "", err
	}
	if path := os.Getenv("GOOGLE_APPLICATION_CREDENTIALS"); path != "" {
		return path, nil
	}
	if dir, err := os.UserHomeDir(); err == nil {
		path := filepath.Join(dir, ".config", "gcloud", "application_default_credentials.json")
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
	}
	return "", nil
}

// credentialTypes are the types of credentials files that are supported.
var credentialTypes = map[string]credentials.CredType{
	"service_account": credentials.ServiceAccount, "external_account": credentials.ExternalAccount,
	"impersonated_service_account":     credentials.ImpersonatedServiceAccount,
	"authorized_user":                  credentials.AuthorizedUser,
	"external_account_authorized_user": credentials.ExternalAccountAuthorizedUser,
}

func fileCredentials(path string, client *http.Client) (*auth.Credentials, error) {
	text, err := driverbase.ReadFile("bigquery", "credentials", path)
	if err != nil {
		return nil, err
	}
	var file struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(text, &file); err != nil {
		return nil, wrongFile(path, err)
	}
	kind, ok := credentialTypes[file.Type]
	if !ok {
		return nil, wrongFile(path, errors.New("unknown type"))
	}
	creds, err := credentials.NewCredentialsFromJSON(kind, text,
		&credentials.DetectOptions{Scopes: scopes, Client: client, Logger: Silent})
	if err != nil {
		return nil, wrongFile(path, err)
	}
	return creds, nil
}

func wrongFile(path string, cause error) error {
	return errcode.Because(cause, errcode.Unauthenticated, "bigquery: credentials file %q: expected the JSON of a service account, an external account (workload identity), an impersonated service account or a user", filepath.Base(path))
}

// Silent prevents the libraries from logging requests, with the text of queries, even if GOOGLE_SDK_GO_LOGGING_LEVEL is
// set.
var Silent = slog.New(slog.DiscardHandler)

// MetadataHost is the address of Google's metadata server, which needs no name resolution.
const MetadataHost = "169.254.169.254"

// metadataServer requests access tokens of the machine's service account from the metadata server. The library
// cloud.google.com/go/auth would ask the host in GCE_METADATA_HOST, or resolve a name. See
// https://cloud.google.com/compute/docs/access/authenticate-workloads.
type metadataServer struct{ client *http.Client }

// Token requests an access token.
func (m metadataServer) Token(ctx context.Context) (*auth.Token, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet,
		"http://"+MetadataHost+"/computeMetadata/v1/instance/service-accounts/default/token?scopes="+
			url.QueryEscape(strings.Join(scopes, ",")), nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Metadata-Flavor", "Google")
	resp, err := m.client.Do(r)
	if err != nil {
		return nil, errcode.Because(err, errcode.Unauthenticated, "bigquery: the metadata server does not answer; credentials=metadata is for machines of Google's, with a service account")
	}
	defer resp.Body.Close() //nolint:errcheck // read to the end, or of no use
	var answer struct {
		Token   string `json:"access_token"`
		Type    string `json:"token_type"`
		Expires int64  `json:"expires_in"`
	}
	err = json.NewDecoder(io.LimitReader(resp.Body, 1<<20)).Decode(&answer)
	if resp.StatusCode != http.StatusOK || resp.Header.Get("Metadata-Flavor") != "Google" || err != nil ||
		answer.Token == "" || answer.Expires <= 0 {
		return nil, errcode.New(errcode.Unauthenticated,
			"bigquery: the metadata server gives no access token (HTTP status %d); the machine needs a service account",
			resp.StatusCode)
	}
	return &auth.Token{Value: answer.Token, Type: answer.Type,
		Expiry: time.Now().Add(time.Duration(min(answer.Expires, 1<<20)) * time.Second)}, nil
}

// tokenFile is the path of a file that contains an access token. It is read for each request, so that another process
// can replace the token.
type tokenFile string

// Token reads the file. It treats the token as valid for a minute.
func (f tokenFile) Token(context.Context) (*auth.Token, error) {
	text, err := driverbase.ReadFile("bigquery", "access token", string(f))
	if err != nil {
		return nil, err
	}
	token := strings.TrimSpace(string(text))
	if token == "" || strings.ContainsAny(token, " \n\r\t\"{") {
		return nil, errcode.New(errcode.Unauthenticated,
			"bigquery: token file %q: expected one access token and nothing else", filepath.Base(string(f)))
	}
	return &auth.Token{Value: token, Type: "Bearer", Expiry: time.Now().Add(time.Minute)}, nil
}
