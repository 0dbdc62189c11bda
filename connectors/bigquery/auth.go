package bigquery

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"cloud.google.com/go/auth"
	"cloud.google.com/go/auth/credentials"
	"cloud.google.com/go/auth/credentials/impersonate"
	storage "cloud.google.com/go/bigquery/storage/apiv1"
	bq "google.golang.org/api/bigquery/v2"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/badger-eval/badger/internal/errcode"
)

// scopes: IAM says what the account may do; AI functions without a connection act as the user and
// want the whole platform.
var scopes = []string{"https://www.googleapis.com/auth/cloud-platform"}

// connect makes the clients.
func (c *Conn) connect(ctx context.Context) error {
	common := []option.ClientOption{option.WithUserAgent("badger"), option.WithTelemetryDisabled()}
	if c.o.Endpoint != "" && !c.o.hasCredentials() && (c.o.plaintext() || c.o.AllowInsecure) {
		common = append(common, option.WithoutAuthentication())
	} else {
		creds, err := c.credentials()
		if err != nil {
			return err
		}
		common = append(common, option.WithAuthCredentials(creds))
	}
	rest := common
	if c.o.Endpoint != "" {
		rest = append(rest[:len(rest):len(rest)], option.WithEndpoint(basePath(c.o.Endpoint)))
	}
	var err error
	if c.rest, err = bq.NewService(ctx, rest...); err != nil {
		return c.clientError("REST", err)
	}
	if c.o.Storage == StorageOff || c.o.Endpoint != "" && c.o.StorageEndpoint == "" {
		return nil
	}
	rpc := common
	if c.o.StorageEndpoint != "" {
		rpc = append(rpc[:len(rpc):len(rpc)], option.WithEndpoint(c.o.StorageEndpoint))
		if c.o.plaintext() {
			rpc = append(rpc, option.WithGRPCDialOption(grpc.WithTransportCredentials(insecure.NewCredentials())))
			if c.o.hasCredentials() {
				return c.plaintextClients(ctx)
			}
		}
	}
	return c.storageClients(ctx, rpc)
}

func (c *Conn) storageClients(ctx context.Context, options []option.ClientOption) (err error) {
	if c.read, err = storage.NewBigQueryReadClient(ctx, options...); err != nil {
		return c.clientError("Storage Read", err)
	}
	if c.write, err = storage.NewBigQueryWriteClient(ctx, options...); err != nil {
		c.read.Close() //nolint:errcheck // the first error counts
		c.read = nil
		return c.clientError("Storage Write", err)
	}
	// The library's own repetitions go on for ten minutes; those of this package are counted.
	c.read.CallOptions, c.write.CallOptions = &storage.BigQueryReadCallOptions{}, &storage.BigQueryWriteCallOptions{}
	return nil
}

// plaintextClients carry credentials to this machine without TLS, which the library's own way
// refuses.
func (c *Conn) plaintextClients(ctx context.Context) error {
	creds, err := c.credentials()
	if err != nil {
		return err
	}
	conn, err := grpc.NewClient(c.o.StorageEndpoint, grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithPerRPCCredentials(local{creds}))
	if err != nil {
		return c.clientError("Storage", err)
	}
	return c.storageClients(ctx, []option.ClientOption{option.WithGRPCConn(conn)})
}

// local are credentials for connections that do not leave this machine.
type local struct{ creds *auth.Credentials }

func (l local) GetRequestMetadata(ctx context.Context, _ ...string) (map[string]string, error) {
	t, err := l.creds.Token(ctx)
	if err != nil {
		return nil, err
	}
	return map[string]string{"authorization": "Bearer " + t.Value}, nil
}

func (local) RequireTransportSecurity() bool { return false }

// basePath completes an endpoint that names a host only.
func basePath(endpoint string) string {
	if u, err := url.Parse(endpoint); err == nil && strings.Trim(u.Path, "/") == "" {
		return strings.TrimSuffix(endpoint, "/") + "/bigquery/v2/"
	}
	return strings.TrimSuffix(endpoint, "/") + "/"
}

func (c *Conn) clientError(which string, err error) error {
	return because(err, errcode.FailedPrecondition, "bigquery: project %s: the %s client cannot be made", c.o.Project, which)
}

// credentials are those of the account that asks.
func (c *Conn) credentials() (*auth.Credentials, error) {
	base, err := c.baseCredentials()
	if err != nil || len(c.o.Impersonate) == 0 {
		return base, err
	}
	last := len(c.o.Impersonate) - 1
	creds, err := impersonate.NewCredentials(&impersonate.CredentialsOptions{
		TargetPrincipal: c.o.Impersonate[last], Delegates: c.o.Impersonate[:last], Scopes: scopes, Credentials: base,
	})
	if err != nil {
		return nil, because(err, errcode.Unauthenticated, "bigquery: service account %s cannot be impersonated; the account that asks needs roles/iam.serviceAccountTokenCreator on it", c.o.Impersonate[last])
	}
	return creds, nil
}

func (c *Conn) baseCredentials() (*auth.Credentials, error) {
	switch {
	case c.o.TokenFile != "":
		t := tokenFile(c.o.TokenFile)
		if _, err := t.Token(context.Background()); err != nil {
			return nil, err
		}
		return auth.NewCredentials(&auth.CredentialsOptions{TokenProvider: t}), nil
	case c.o.CredentialsFile != "":
		return fileCredentials(c.o.CredentialsFile)
	}
	creds, err := credentials.DetectDefault(&credentials.DetectOptions{Scopes: scopes})
	if err != nil {
		return nil, because(err, errcode.Unauthenticated, "bigquery: there are no application default credentials; set GOOGLE_APPLICATION_CREDENTIALS to a credentials file, log in with gcloud auth application-default login, or give credentials_file or token_file")
	}
	return creds, nil
}

// credentialTypes are those a file may hold.
var credentialTypes = map[string]credentials.CredType{
	"service_account": credentials.ServiceAccount, "external_account": credentials.ExternalAccount, "impersonated_service_account": credentials.ImpersonatedServiceAccount,
	"authorized_user": credentials.AuthorizedUser, "external_account_authorized_user": credentials.ExternalAccountAuthorizedUser,
}

func fileCredentials(path string) (*auth.Credentials, error) {
	text, err := readSecret("credentials_file", path)
	if err != nil {
		return nil, err
	}
	var file struct {
		Type string `json:"type"`
	}
	wrong := func(cause error) error {
		return because(cause, errcode.Unauthenticated, "bigquery: credentials file %q: expected the JSON of a service account, an external account (workload identity), an impersonated service account or a user", filepath.Base(path))
	}
	if err := json.Unmarshal(text, &file); err != nil {
		return nil, wrong(err)
	}
	kind, ok := credentialTypes[file.Type]
	if !ok {
		return nil, wrong(errors.New("unknown type"))
	}
	creds, err := credentials.NewCredentialsFromJSON(kind, text, &credentials.DetectOptions{Scopes: scopes})
	if err != nil {
		return nil, wrong(err)
	}
	return creds, nil
}

// tokenFile is a file that holds an access token. It is read for each request: whoever renews the
// token replaces the file.
type tokenFile string

// Token reads the file.
func (f tokenFile) Token(context.Context) (*auth.Token, error) {
	text, err := readSecret("token_file", string(f))
	if err != nil {
		return nil, err
	}
	token := strings.TrimSpace(string(text))
	if token == "" || strings.ContainsAny(token, " \n\r\t\"{") {
		return nil, errcode.New(errcode.Unauthenticated, "bigquery: token file %q: expected one access token and nothing else", filepath.Base(string(f)))
	}
	return &auth.Token{Value: token, Type: "Bearer", Expiry: time.Now().Add(time.Minute)}, nil
}

// readSecret reads a file whose content is not shown.
func readSecret(name, path string) ([]byte, error) {
	text, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, errcode.New(errcode.Unauthenticated, "bigquery: %s %q does not exist", name, filepath.Base(path))
	case err != nil:
		return nil, errcode.New(errcode.Unauthenticated, "bigquery: %s %q cannot be read", name, filepath.Base(path))
	}
	return text, nil
}
