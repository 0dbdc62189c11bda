package driverbase_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/badger-eval/badger/connectors/internal/driverbase"
	"github.com/badger-eval/badger/internal/errcode"
)

// The states of which PostgreSQL, Databricks and Snowflake thought differently have a reason.
func TestSQLStates(t *testing.T) {
	for state, tc := range map[string]struct {
		want errcode.Code
		why  string
	}{
		"42883": {errcode.NotFound, "a function that is not there (PostgreSQL and Snowflake: invalid_argument)"},
		"42704": {errcode.NotFound, "a type or a role that is not there (PostgreSQL: invalid_argument)"},
		"28000": {errcode.Unauthenticated, "no valid credentials (Snowflake: permission_denied)"},
		"57014": {errcode.Unavailable, "somebody else intervened: trying again may help (Snowflake: failed_precondition)"},
		"40001": {errcode.Unavailable, "another transaction was in the way (Databricks: unknown)"},
		"3F000": {errcode.NotFound, "a schema (Databricks and Snowflake: unknown)"},
		"55P03": {errcode.Unavailable, "the state itself counts before its class"},
		"55006": {errcode.FailedPrecondition, "its class"},
		"42":    {errcode.InvalidArgument, "a class alone"},
		"ZZ123": {errcode.Unknown, "no state that is known"},
		"4":     {errcode.Unknown, "no state"},
		"":      {errcode.Unknown, "none"},
	} {
		if got := driverbase.SQLState(state); got != tc.want {
			t.Errorf("%q: %v, want %v: %s", state, got, tc.want, tc.why)
		}
	}
}

func TestTransport(t *testing.T) {
	s := httptest.NewTLSServer(http.NotFoundHandler())
	defer s.Close()
	get := func(url string) error {
		resp, err := new(http.Client).Get(url) //nolint:noctx // a test's own server
		if err == nil {
			resp.Body.Close() //nolint:errcheck // nothing follows
		}
		return err
	}
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	for _, tc := range []struct {
		why  string
		err  error
		want errcode.Code
		says string
	}{
		{"no such host", fmt.Errorf("x: %w", &net.DNSError{Err: "no such host"}), errcode.Unavailable, "its host is not known"},
		{"a certificate of nobody's", get(s.URL), errcode.Unauthenticated, "its certificate is not trusted"},
		{"a certificate for another host", x509.HostnameError{Certificate: &x509.Certificate{}, Host: "h"}, errcode.Unauthenticated, "its certificate is not trusted"},
		{"plain text where TLS is expected", tls.RecordHeaderError{Msg: "first record does not look like a TLS handshake"}, errcode.Unauthenticated, "it does not support encryption"},
		{"nobody listens", get(gone.URL), errcode.Unavailable, "the server does not answer"},
		{"the end in the middle", fmt.Errorf("x: %w", io.ErrUnexpectedEOF), errcode.Unavailable, "the connection was lost"},
		{"reset", &net.OpError{Op: "read", Err: errors.New("reset")}, errcode.Unavailable, "the connection was lost"},
		{"nothing of the way", errors.New("x"), errcode.Unknown, ""},
	} {
		if code, text := driverbase.Transport(tc.err); code != tc.want || text != tc.says {
			t.Errorf("%s: %v: %v, %q; want %v, %q", tc.why, tc.err, code, text, tc.want, tc.says)
		}
	}
}

func TestTold(t *testing.T) {
	for _, err := range []error{nil, errcode.New(errcode.NotFound, "x"), fmt.Errorf("x: %w", errcode.New(errcode.NotFound, "y")), context.Canceled, fmt.Errorf("x: %w", context.DeadlineExceeded)} {
		if !driverbase.Told(err) {
			t.Errorf("%v would be wrapped again", err)
		}
	}
	if driverbase.Told(errors.New("value 'hunter2'")) {
		t.Error("an error of a vendor's would be shown")
	}
}
