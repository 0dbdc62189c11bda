package bigquery

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"math"
	"net/http"
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
	grpccredentials "google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/internal/driverbase"
	"github.com/badger-eval/badger/internal/errcode"
)

// scopes: IAM says what the account may do; AI functions without a connection act as the user and
// want the whole platform.
var scopes = []string{"https://www.googleapis.com/auth/cloud-platform"}

// google.golang.org/api v0.311.0 looks for a client certificate, in the home directory and where
// variables say, although it is given a client. The configuration of badger says whom it contacts
// and as whom, the environment does not.
func init() { _ = os.Setenv("GOOGLE_API_USE_CLIENT_CERTIFICATE", "false") }

// connect makes the clients. The libraries' own ways to connect follow the environment: to proxies,
// to other universes of Google's hosts, to hosts for client certificates and to a metadata server
// that gives them out. So the connections are made here. See README.md for versions.
func (c *Conn) connect(ctx context.Context) error {
	var creds *auth.Credentials
	if !c.o.anonymous() {
		var err error
		if creds, err = c.credentials(); err != nil {
			return err
		}
	}
	endpoint := "https://" + restHost
	if c.o.Endpoint != "" {
		endpoint = c.o.Endpoint
	}
	var err error
	if c.rest, err = bq.NewService(ctx, option.WithHTTPClient(authorized(c.o.Proxy, creds)), option.WithEndpoint(basePath(endpoint)), option.WithTelemetryDisabled(), option.WithLogger(silent)); err != nil {
		return c.clientError("REST", err)
	}
	c.rest.UserAgent = userAgent
	if c.o.storage() == "" {
		return nil
	}
	return c.storageClient(ctx, creds)
}

const userAgent = "badger"

// storageClient makes the client of the Storage Read API.
func (c *Conn) storageClient(ctx context.Context, creds *auth.Credentials) error {
	conn, err := c.dial(creds)
	if err == nil {
		c.read, err = storage.NewBigQueryReadClient(ctx, option.WithGRPCConn(conn), option.WithLogger(silent))
	}
	if err != nil {
		return c.clientError("Storage Read", err)
	}
	// Version 1.86.2 repeats requests for ten minutes; those of this package are counted.
	c.read.CallOptions = &storage.BigQueryReadCallOptions{}
	return nil
}

// dial prepares a connection to the Storage Read API.
func (c *Conn) dial(creds *auth.Credentials) (*grpc.ClientConn, error) {
	options := []grpc.DialOption{
		grpc.WithUserAgent(userAgent), grpc.WithNoProxy(), grpc.WithDisableServiceConfig(),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(math.MaxInt32)), // as the library has it
	}
	if c.o.plaintext() {
		options = append(options, grpc.WithTransportCredentials(insecure.NewCredentials()))
	} else {
		options = append(options, grpc.WithTransportCredentials(grpccredentials.NewTLS(&tls.Config{MinVersion: tls.VersionTLS12})))
	}
	if creds != nil {
		options = append(options, grpc.WithPerRPCCredentials(perRPC{creds, !c.o.plaintext()}))
	}
	if c.o.Proxy != nil { // which looks the name up
		options = append(options, grpc.WithContextDialer(driver.Tunnel(c.o.Proxy)))
	}
	// The resolver of gRPC 1.85.0 would look up further names, of load balancers.
	return grpc.NewClient("passthrough:///"+c.o.storage(), options...)
}

// authorized is a client that sends credentials along, if there are some, and follows no
// redirection with them.
func authorized(proxy *url.URL, creds *auth.Credentials) *http.Client {
	client := plain(proxy)
	client.Timeout = 0 // of requests: their contexts say it
	if creds != nil {
		client.Transport = bearer{client.Transport, creds}
	}
	return client
}

// plain is a client for requests of tokens.
func plain(proxy *url.URL) *http.Client {
	return &http.Client{Transport: driver.Transport(proxy), Timeout: 30 * time.Second, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// bearer sends credentials with each request. That of cloud.google.com/go/auth leaves the project of
// the quota out.
type bearer struct {
	base  http.RoundTripper
	creds *auth.Credentials
}

// RoundTrip sends a request.
func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	headers, err := headers(r.Context(), b.creds)
	if err != nil {
		if r.Body != nil {
			_ = r.Body.Close() // as transports must
		}
		return nil, err
	}
	r = r.Clone(r.Context())
	for name, value := range headers {
		r.Header.Set(name, value)
	}
	return b.base.RoundTrip(r)
}

// perRPC are credentials of gRPC. In plain text they go to this machine only, see
// [Options].
type perRPC struct {
	creds  *auth.Credentials
	secure bool
}

// GetRequestMetadata is the headers of a request.
func (p perRPC) GetRequestMetadata(ctx context.Context, _ ...string) (map[string]string, error) {
	return headers(ctx, p.creds)
}

// RequireTransportSecurity tells whether they need TLS.
func (p perRPC) RequireTransportSecurity() bool { return p.secure }

// headers carry a token, and the project that a user's quota is taken from.
func headers(ctx context.Context, creds *auth.Credentials) (map[string]string, error) {
	t, err := creds.Token(ctx)
	if err != nil {
		return nil, err
	}
	h := map[string]string{"authorization": "Bearer " + t.Value}
	if project, err := creds.QuotaProjectID(ctx); err == nil && project != "" {
		h["x-goog-user-project"] = project
	}
	return h, nil
}

// basePath completes an endpoint that names a host only.
func basePath(endpoint string) string {
	if u, err := url.Parse(endpoint); err == nil && strings.Trim(u.Path, "/") == "" {
		return strings.TrimSuffix(endpoint, "/") + "/bigquery/v2/"
	}
	return strings.TrimSuffix(endpoint, "/") + "/"
}

func (c *Conn) clientError(which string, err error) error {
	return errcode.Because(err, errcode.FailedPrecondition, "bigquery: project %s: the %s client cannot be made", c.o.Project, which)
}

// credentials are those of the account that asks.
func (c *Conn) credentials() (*auth.Credentials, error) {
	base, err := c.baseCredentials()
	if err != nil || len(c.o.Impersonate) == 0 {
		return base, err
	}
	last := len(c.o.Impersonate) - 1
	creds, err := impersonate.NewCredentials(&impersonate.CredentialsOptions{
		TargetPrincipal: c.o.Impersonate[last], Delegates: c.o.Impersonate[:last], Scopes: scopes, Credentials: base, Client: authorized(c.o.Proxy, base), Logger: silent,
	})
	if err != nil {
		return nil, errcode.Because(err, errcode.Unauthenticated, "bigquery: service account %s cannot be impersonated; the account that asks needs roles/iam.serviceAccountTokenCreator on it", c.o.Impersonate[last])
	}
	return creds, nil
}

func (c *Conn) baseCredentials() (*auth.Credentials, error) {
	if c.o.TokenFile != "" {
		t := tokenFile(c.o.TokenFile)
		if _, err := t.Token(context.Background()); err != nil {
			return nil, err
		}
		return auth.NewCredentials(&auth.CredentialsOptions{TokenProvider: t}), nil
	}
	path, err := c.o.source()
	switch {
	case err != nil:
		return nil, err
	case path == "":
		return auth.NewCredentials(&auth.CredentialsOptions{TokenProvider: auth.NewCachedTokenProvider(metadataServer{plain(nil)}, nil)}), nil
	}
	return fileCredentials(path, plain(c.o.Proxy))
}

// anonymous tells that nobody signs in: at an endpoint without TLS, or one that is called insecure.
func (o *Options) anonymous() bool {
	return o.Endpoint != "" && !o.hasCredentials() && (o.plaintext() || o.AllowInsecure)
}

// storage is the address of the Storage API, "" where it is not used.
func (o *Options) storage() string {
	switch {
	case o.Storage == StorageOff || o.Endpoint != "" && o.StorageEndpoint == "":
		return ""
	case o.StorageEndpoint != "":
		return o.StorageEndpoint
	}
	return storageHost + ":443"
}

// named is an error where the options name no credentials and somebody has to sign in.
func (o *Options) named() error {
	if o.anonymous() || o.Credentials != "" || o.CredentialsFile+o.TokenFile != "" {
		return nil
	}
	return errcode.New(errcode.Unauthenticated, "bigquery: no credentials are named; expected credentials_file=FILE, token_file=FILE, credentials=metadata for the service account of this machine (Cloud Run, GKE, Compute Engine), or credentials=default for Google's application default credentials")
}

// source is the file of the credentials, "" for the metadata server.
func (o *Options) source() (string, error) {
	switch {
	case o.CredentialsFile != "":
		return o.CredentialsFile, nil
	case o.TokenFile != "", o.Credentials == CredentialsMetadata:
		return "", nil
	}
	if err := o.named(); err != nil {
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

// credentialTypes are those a file may hold.
var credentialTypes = map[string]credentials.CredType{
	"service_account": credentials.ServiceAccount, "external_account": credentials.ExternalAccount, "impersonated_service_account": credentials.ImpersonatedServiceAccount,
	"authorized_user": credentials.AuthorizedUser, "external_account_authorized_user": credentials.ExternalAccountAuthorizedUser,
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
	creds, err := credentials.NewCredentialsFromJSON(kind, text, &credentials.DetectOptions{Scopes: scopes, Client: client, Logger: silent})
	if err != nil {
		return nil, wrongFile(path, err)
	}
	return creds, nil
}

func wrongFile(path string, cause error) error {
	return errcode.Because(cause, errcode.Unauthenticated, "bigquery: credentials file %q: expected the JSON of a service account, an external account (workload identity), an impersonated service account or a user", filepath.Base(path))
}

// silent keeps the libraries from logging requests, with the text of queries, where
// GOOGLE_SDK_GO_LOGGING_LEVEL tells them to.
var silent = slog.New(slog.DiscardHandler)

// metadataHost is Google's metadata server, by its address: no name is looked up.
const metadataHost = "169.254.169.254"

// metadataServer gets access tokens of the machine's service account from the metadata server.
// cloud.google.com/go/auth asks the host that GCE_METADATA_HOST names, or looks up a name. See
// https://cloud.google.com/compute/docs/access/authenticate-workloads.
type metadataServer struct{ client *http.Client }

// Token asks for a token.
func (m metadataServer) Token(ctx context.Context) (*auth.Token, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+metadataHost+"/computeMetadata/v1/instance/service-accounts/default/token?scopes="+url.QueryEscape(strings.Join(scopes, ",")), nil)
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
	if resp.StatusCode != http.StatusOK || resp.Header.Get("Metadata-Flavor") != "Google" || err != nil || answer.Token == "" || answer.Expires <= 0 {
		return nil, errcode.New(errcode.Unauthenticated, "bigquery: the metadata server gives no access token (HTTP status %d); the machine needs a service account", resp.StatusCode)
	}
	return &auth.Token{Value: answer.Token, Type: answer.Type, Expiry: time.Now().Add(time.Duration(min(answer.Expires, 1<<20)) * time.Second)}, nil
}

// tokenFile is a file that holds an access token. It is read for each request: whoever renews the
// token replaces the file.
type tokenFile string

// Token reads the file.
func (f tokenFile) Token(context.Context) (*auth.Token, error) {
	text, err := driverbase.ReadFile("bigquery", "access token", string(f))
	if err != nil {
		return nil, err
	}
	token := strings.TrimSpace(string(text))
	if token == "" || strings.ContainsAny(token, " \n\r\t\"{") {
		return nil, errcode.New(errcode.Unauthenticated, "bigquery: token file %q: expected one access token and nothing else", filepath.Base(string(f)))
	}
	return &auth.Token{Value: token, Type: "Bearer", Expiry: time.Now().Add(time.Minute)}, nil
}
