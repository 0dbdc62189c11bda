package server

import (
	"testing"

	"google.golang.org/grpc/metadata"

	"github.com/badger-eval/badger/udf"
)

// The log names a product only where the caller or the handler did. Earlier versions of Databend say
// nothing of themselves.
func TestWireInTheLog(t *testing.T) {
	s := &Server{catalogue: &udf.Catalogue{}}
	for _, tc := range []struct{ header, handler, want string }{
		{"", "builtin_echo", "flight"},
		{"", "builtin_echo@databend", "databend"},
		{"", "builtin_echo@risingwave", "risingwave"},
		{"", "builtin_echo@rw", "risingwave"},
		{"x-databend-query-id", "builtin_echo", "databend"},
	} {
		ctx := t.Context()
		if tc.header != "" {
			ctx = metadata.NewIncomingContext(ctx, metadata.Pairs(tc.header, "q"))
		}
		h, err := s.handlerOf(ctx, tc.handler)
		if err != nil || h.dialect.wire != tc.want {
			t.Errorf("%q, %q: %v, %v", tc.header, tc.handler, h.dialect.wire, err)
		}
		if tc.want == "flight" && h.dialect.budget != 0 { // another client has as much time as its own deadline gives
			t.Errorf("%q has %v", tc.handler, h.dialect.budget)
		}
	}
}
