package hosting

import (
	"context"
	"testing"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/udf/identity"
)

type everything struct{}

func (everything) ReadSnapshot(context.Context, string) (*scoring.Table, error) {
	return scoring.EmptyTable(1), nil
}

// A caller reads what is listed for it, or else for all, and nothing if nothing is listed.
func TestGuarded(t *testing.T) {
	g, err := Guard(everything{}, Readable{Tables: []string{"gold.*"}}, map[string]Readable{"nightly": {Tables: []string{"agents.*"}, Queries: true}, "nobody": {}})
	if err != nil {
		t.Fatal(err)
	}
	call := []identity.Role{identity.Call}
	for _, tc := range []struct {
		caller identity.Caller
		ref    string
		ok     bool
	}{
		{identity.Caller{Name: "ana", Roles: call}, "table:gold.one", true},
		{identity.Caller{Name: "ana", Roles: call}, "table:badger.assessments", false},
		{identity.Caller{Name: "ana", Roles: call}, "query:01ab", false},
		{identity.Caller{Name: "ana", Roles: []identity.Role{identity.Call, identity.Label}}, "table:badger.assessments", false},
		{identity.Caller{Name: "nightly", Roles: call}, "table:agents.two", true},
		{identity.Caller{Name: "nightly", Roles: call}, "table:gold.one", false},
		{identity.Caller{Name: "nightly", Roles: call}, "query:01ab", true},
		{identity.Caller{Name: "nobody", Roles: call}, "table:gold.one", false},
		{identity.Caller{Roles: identity.Roles}, "table:badger.assessments", true}, // a user of this machine
		{identity.Caller{}, "table:badger.assessments", false},
		{identity.Caller{Name: "ana", Roles: call}, "file:gold.csv", true}, // results.files decides
	} {
		_, err := g.ReadSnapshot(identity.With(t.Context(), tc.caller), tc.ref)
		if (err == nil) != tc.ok || err != nil && errcode.Of(err) != errcode.PermissionDenied {
			t.Errorf("%s reads %s: %v", tc.caller.Name, tc.ref, err)
		}
	}
	if _, err := g.ReadSnapshot(t.Context(), "table:gold.one"); err != nil {
		t.Errorf("without a caller: %v", err)
	}
	if _, err := Guard(everything{}, Readable{Tables: []string{"gold.x*"}}, nil); !errcode.IsUsage(err) {
		t.Errorf("a wrong pattern: %v", err)
	}
}
