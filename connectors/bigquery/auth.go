package bigquery

import (
	"context"
	"crypto/tls"
	"math"
	"net/url"
	"os"
	"strings"

	"cloud.google.com/go/auth"
	storage "cloud.google.com/go/bigquery/storage/apiv1"
	bq "google.golang.org/api/bigquery/v2"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	grpccredentials "google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/badger-eval/badger/connectors/bigquery/internal/signin"
	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/errcode"
)

// google.golang.org/api v0.311.0 would look for a client certificate in the home directory and in environment
// variables, although it is given a client. Hosts and credentials come only from badger's configuration.
func init() { _ = os.Setenv("GOOGLE_API_USE_CLIENT_CERTIFICATE", "false") }

// connect creates the clients. The libraries' own constructors follow the environment: to proxies, other universes of
// Google's hosts, hosts for client certificates, and a metadata server for them. Therefore the connections are created
// here. See README.md for versions.
func (c *Conn) connect(ctx context.Context) error {
	var creds *auth.Credentials
	if !c.o.anonymous() {
		var err error
		if creds, err = c.o.Sign(); err != nil {
			return err
		}
	}
	endpoint := "https://" + restHost
	if c.o.Endpoint != "" {
		endpoint = c.o.Endpoint
	}
	var err error
	if c.rest, err = bq.NewService(ctx, option.WithHTTPClient(signin.Client(c.o.Proxy, creds)),
		option.WithEndpoint(basePath(endpoint)), option.WithTelemetryDisabled(),
		option.WithLogger(signin.Silent)); err != nil {
		return c.clientError("REST", err)
	}
	c.rest.UserAgent = userAgent
	if c.o.storage() == "" {
		return nil
	}
	return c.storageClient(ctx, creds)
}

const userAgent = "badger"

// storageClient creates the client of the Storage Read API.
func (c *Conn) storageClient(ctx context.Context, creds *auth.Credentials) error {
	conn, err := c.dial(creds)
	if err == nil {
		c.read, err = storage.NewBigQueryReadClient(ctx, option.WithGRPCConn(conn), option.WithLogger(signin.Silent))
	}
	if err != nil {
		return c.clientError("Storage Read", err)
	}
	// Version 1.86.2 retries for ten minutes; this package has its own retries.
	c.read.CallOptions = &storage.BigQueryReadCallOptions{}
	return nil
}

// dial returns a lazy connection to the Storage Read API.
func (c *Conn) dial(creds *auth.Credentials) (*grpc.ClientConn, error) {
	options := []grpc.DialOption{
		grpc.WithUserAgent(userAgent), grpc.WithNoProxy(), grpc.WithDisableServiceConfig(),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(math.MaxInt32)), // as in the library
	}
	if c.o.plaintext() {
		options = append(options, grpc.WithTransportCredentials(insecure.NewCredentials()))
	} else {
		options = append(options,
			grpc.WithTransportCredentials(grpccredentials.NewTLS(&tls.Config{MinVersion: tls.VersionTLS12})))
	}
	if creds != nil {
		options = append(options, grpc.WithPerRPCCredentials(signin.PerRPC(creds, !c.o.plaintext())))
	}
	if c.o.Proxy != nil { // the proxy resolves the host's name
		options = append(options, grpc.WithContextDialer(driver.Tunnel(c.o.Proxy)))
	}
	// The resolver of gRPC 1.85.0 would resolve further names, of load balancers.
	return grpc.NewClient("passthrough:///"+c.o.storage(), options...)
}

// basePath returns an endpoint with a final slash, and with the API's default path if it has none.
func basePath(endpoint string) string {
	if u, err := url.Parse(endpoint); err == nil && strings.Trim(u.Path, "/") == "" {
		return strings.TrimSuffix(endpoint, "/") + "/bigquery/v2/"
	}
	return strings.TrimSuffix(endpoint, "/") + "/"
}

func (c *Conn) clientError(which string, err error) error {
	return errcode.Because(err, errcode.FailedPrecondition, "bigquery: project %s: the %s client cannot be made",
		c.o.Project, which)
}

// anonymous reports whether requests are sent without credentials: to an endpoint without TLS or with AllowInsecure, if
// no credentials are configured.
func (o *Options) anonymous() bool {
	return o.Endpoint != "" && !o.hasCredentials() && (o.plaintext() || o.AllowInsecure)
}

// storage returns the address of the Storage API, or "" if it is not used.
func (o *Options) storage() string {
	switch {
	case o.Storage == StorageOff || o.Endpoint != "" && o.StorageEndpoint == "":
		return ""
	case o.StorageEndpoint != "":
		return o.StorageEndpoint
	}
	return storageHost + ":443"
}

// named returns an error if no credentials are configured and requests need them.
func (o *Options) named() error {
	if o.anonymous() {
		return nil
	}
	return o.Named()
}
