package bigquery_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"cloud.google.com/go/auth"
	"cloud.google.com/go/auth/credentials"
	"cloud.google.com/go/auth/httptransport"
	storage "cloud.google.com/go/bigquery/storage/apiv1"
	"cloud.google.com/go/bigquery/storage/apiv1/storagepb"
	bq "google.golang.org/api/bigquery/v2"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/badger-eval/badger/connectors/bigquery"
	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/sample"
)

// alone names the test whose library is tried in a process of its own, because libraries read the
// environment once in a process.
const alone = "BADGER_TEST_ALONE"

func TestMain(m *testing.M) {
	if name := os.Getenv(alone); name != "" {
		for _, tc := range libraries {
			if tc.why == name {
				fmt.Print(tc.try())
			}
		}
		if strings.HasPrefix(name, bigquery.Scheme+":") {
			c, _, err := bigquery.Open(context.Background(), name, driver.Options{})
			if err == nil {
				err = c.Exec(context.Background(), "SELECT 'hunter2' FROM range(20000)")
			}
			if err != nil {
				fmt.Print(err)
			}
		}
		return
	}
	os.Exit(m.Run())
}

// What Google's libraries do by themselves, without the connector. Each try returns "right" where a
// library does right.
var libraries = []struct {
	why, seen, part string // what is wrong, in which version, and what is for it
	env             []string
	try             func() string
}{
	{"a client certificate is looked for though a client is given", "google.golang.org/api v0.311.0", "GOOGLE_API_USE_CLIENT_CERTIFICATE in auth.go", nil, func() string {
		os.Setenv("GOOGLE_API_USE_CLIENT_CERTIFICATE", "true")
		config := filepath.Join(os.Getenv("HOME"), "certificate_config.json")
		if err := os.WriteFile(config, []byte("{"), 0o600); err != nil {
			return err.Error()
		}
		os.Setenv("GOOGLE_API_CERTIFICATE_CONFIG", config)
		if _, err := bq.NewService(context.Background(), option.WithHTTPClient(http.DefaultClient), option.WithEndpoint("https://bigquery.invalid/")); err != nil {
			return err.Error()
		}
		return "right"
	}},
	{"the REST client uses the proxy of the environment", "google.golang.org/api v0.311.0", "option.WithHTTPClient in Conn.connect", nil, func() string {
		return proxied(func(ctx context.Context) {
			if s, err := bq.NewService(ctx, option.WithoutAuthentication(), option.WithEndpoint("http://bigquery.invalid/")); err == nil {
				_, _ = s.Datasets.Get("p", "d").Context(ctx).Do()
			}
		})
	}},
	{"the Storage API client uses the proxy of the environment", "cloud.google.com/go/bigquery v1.86.2", "grpc.WithNoProxy in Conn.dial", nil, func() string {
		return proxied(func(ctx context.Context) {
			readSession(ctx, option.WithEndpoint("storage.invalid:443"), option.WithoutAuthentication())
		})
	}},
	{"gRPC looks up further names", "google.golang.org/grpc v1.85.0", "grpc.WithDisableServiceConfig in Conn.dial", nil, func() string {
		asked := make(chan string, 100)
		net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
			here, there := net.Pipe()
			go func() {
				var b [512]byte
				n, _ := there.Read(b[:])
				asked <- string(b[:n])
				_ = there.Close()
			}()
			return here, nil
		}}
		conn, err := grpc.NewClient("dns:///storage.invalid:443", grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithNoProxy())
		if err != nil {
			return err.Error()
		}
		conn.Connect()
		for {
			select {
			case name := <-asked:
				if strings.Contains(name, "_grpc") {
					return name
				}
			case <-time.After(2 * time.Second):
				return "right"
			}
		}
	}},
	{"the REST client logs the text of queries because a variable says so", "google.golang.org/api v0.311.0", "option.WithLogger in Conn.connect", []string{"GOOGLE_SDK_GO_LOGGING_LEVEL=debug"}, func() string {
		s, err := bq.NewService(context.Background(), option.WithHTTPClient(&http.Client{Transport: roundTripper(func(*http.Request) (*http.Response, error) { return nil, errors.New("not now") })}), option.WithEndpoint("https://bigquery.invalid/"))
		if err != nil {
			return err.Error()
		}
		_, _ = s.Jobs.Query("p", &bq.QueryRequest{Query: "SELECT 'hunter2'"}).Do()
		return "right" // unless the log says more
	}},
	{"the Storage API client logs requests because a variable says so", "cloud.google.com/go/bigquery v1.86.2", "option.WithLogger in Conn.storageClient", []string{"GOOGLE_SDK_GO_LOGGING_LEVEL=debug"}, func() string {
		ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
		defer cancel()
		readSession(ctx, option.WithEndpoint("127.0.0.1:1"), option.WithoutAuthentication(), option.WithGRPCDialOption(grpc.WithTransportCredentials(insecure.NewCredentials())))
		return "right" // unless the log says more
	}},
	{"a variable says where the metadata server is", "cloud.google.com/go/auth v0.24.1-0.20261001053825-dbc26066f70a", "metadataServer", nil, func() string {
		asked := false
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { asked = true; w.WriteHeader(http.StatusNotFound) }))
		defer s.Close()
		os.Setenv("GCE_METADATA_HOST", strings.TrimPrefix(s.URL, "http://"))
		creds, err := credentials.DetectDefault(&credentials.DetectOptions{Scopes: []string{"https://www.googleapis.com/auth/cloud-platform"}})
		if err == nil {
			_, err = creds.Token(context.Background())
		}
		if asked {
			return fmt.Sprint("it was asked; ", err)
		}
		return "right"
	}},
	{"the project of the quota is not sent with a token", "cloud.google.com/go/auth v0.24.1-0.20261001053825-dbc26066f70a", "bearer", nil, func() string {
		answer := "it was not sent"
		client := &http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
			if r.Header.Get("X-Goog-User-Project") == "payer" {
				answer = "right"
			}
			return nil, errors.New("not now")
		})}
		creds := auth.NewCredentials(&auth.CredentialsOptions{
			TokenProvider: oneToken{}, QuotaProjectIDProvider: auth.CredentialsPropertyFunc(func(context.Context) (string, error) { return "payer", nil }),
		})
		if err := httptransport.AddAuthorizationMiddleware(client, creds); err != nil {
			return err.Error()
		}
		_, _ = client.Get("https://bigquery.invalid/")
		return answer
	}},
	{"requests are repeated for ten minutes", "cloud.google.com/go/bigquery v1.86.2", "the CallOptions of Conn.storageClient", nil, func() string {
		return served(func(n int64, _ metadata.MD) string {
			if n > 1 {
				return "repeated"
			}
			return "right"
		}, func(ctx context.Context, o option.ClientOption) {
			ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
			defer cancel()
			readSession(ctx, o)
		})
	}},
}

// The libraries alone. A test skips itself when a version does right: then the part of the
// connector that it names may go.
func TestLibrariesAlone(t *testing.T) {
	for _, tc := range sample.Of(libraries, 3) { // each starts a process
		t.Run(tc.why, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(os.Args[0])
			cmd.Env = append([]string{"HOME=" + t.TempDir(), alone + "=" + tc.why}, tc.env...)
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			if string(out) == "right" {
				t.Skipf("%s did not, the version of go.mod does right: %s may go", tc.seen, tc.part)
			}
			t.Logf("%.200q", out)
		})
	}
}

// The connector's libraries write no log, whatever variables say: it would hold the text of queries.
func TestLibrariesAreQuiet(t *testing.T) {
	s := start(t)
	cmd := exec.Command(os.Args[0])
	cmd.Env = []string{"HOME=" + t.TempDir(), alone + "=" + s.URL(), "GOOGLE_SDK_GO_LOGGING_LEVEL=debug"}
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v: the libraries wrote %.300q", err, out)
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

type oneToken struct{}

func (oneToken) Token(context.Context) (*auth.Token, error) {
	return &auth.Token{Value: "x", Expiry: time.Now().Add(time.Hour)}, nil
}

// proxied reports whether the proxy of the environment is asked.
func proxied(ask func(ctx context.Context)) string {
	seen := make(chan string, 100)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen <- r.Method + " " + r.Host
		w.WriteHeader(http.StatusNotFound)
	}))
	defer s.Close()
	os.Setenv("HTTP_PROXY", s.URL)
	os.Setenv("HTTPS_PROXY", s.URL)
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	go ask(ctx)
	select {
	case r := <-seen:
		return r
	case <-ctx.Done():
		return "right"
	}
}

func readSession(ctx context.Context, o ...option.ClientOption) {
	if c, err := storage.NewBigQueryReadClient(ctx, o...); err == nil {
		_, _ = c.CreateReadSession(ctx, &storagepb.CreateReadSessionRequest{Parent: "projects/p", ReadSession: &storagepb.ReadSession{Table: "hunter2"}})
	}
}

// served tells what a server that is never available says of the last call.
func served(say func(n int64, md metadata.MD) string, call func(context.Context, option.ClientOption)) string {
	var n atomic.Int64
	var said atomic.Value
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err.Error()
	}
	s := grpc.NewServer(grpc.UnknownServiceHandler(func(_ any, stream grpc.ServerStream) error {
		md, _ := metadata.FromIncomingContext(stream.Context())
		said.Store(say(n.Add(1), md))
		return status.Error(codes.Unavailable, "not now")
	}))
	go s.Serve(l) //nolint:errcheck // it is stopped
	defer s.Stop()
	conn, err := grpc.NewClient(l.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err.Error()
	}
	defer conn.Close() //nolint:errcheck // nothing follows
	call(context.Background(), option.WithGRPCConn(conn))
	return fmt.Sprint(said.Load())
}
