package server

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow/flight"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/badger-eval/badger/udf/identity"
)

// A token that is taken out, or whose caller loses the role, ends the streams that were opened with it.
func TestRevokedOnOpenStreams(t *testing.T) {
	t.Parallel()
	for why, tc := range map[string]struct {
		revoke func(t *testing.T, s *running, o *Options, tokens string)
		want   codes.Code
	}{
		"the token is taken out": {func(t *testing.T, _ *running, _ *Options, tokens string) {
			if err := os.WriteFile(tokens, []byte("bob:another-secret-0123456789\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}, codes.Unauthenticated},
		"the role is taken away": {func(t *testing.T, s *running, o *Options, _ string) {
			next := *o
			next.GRPC.Roles = map[string][]string{"ana": {"read"}}
			if err := s.Renew(&next); err != nil {
				t.Fatal(err)
			}
		}, codes.PermissionDenied},
	} {
		tokens := filepath.Join(t.TempDir(), "tokens")
		if err := os.WriteFile(tokens, []byte("ana:"+testToken+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		o := &Options{GRPC: identity.Config{TokenFile: tokens}}
		s := start(t, newCatalogue(t), o)
		ctx := metadata.AppendToOutgoingContext(t.Context(), "x-badger-token", testToken)
		stream, err := flight.NewClientFromConn(dial(t, s.addr), nil).DoExchange(ctx)
		if err != nil {
			t.Fatal(err)
		}
		messages := messagesOf(t, textRecord([]string{"a"}))
		messages[0].FlightDescriptor = &flight.FlightDescriptor{Type: flight.DescriptorPATH, Path: []string{"badger_echo"}}
		for _, m := range messages {
			if err := stream.Send(m); err != nil {
				t.Fatal(err)
			}
		}
		for range 2 { // the schema and a batch
			if _, err := stream.Recv(); err != nil {
				t.Fatalf("%s: before: %v", why, err)
			}
		}
		tc.revoke(t, s, o, tokens)
		time.Sleep(askAgain + 100*time.Millisecond)
		if err := stream.Send(messages[1]); err != nil {
			t.Fatal(err)
		}
		if _, err := stream.Recv(); status.Code(err) != tc.want {
			t.Errorf("%s: %v, want %v", why, err, tc.want)
		}
	}
}
