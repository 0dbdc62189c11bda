package doctor

import (
	"context"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/sql/store"
)

// Execution is the name of the check of the warehouse that runs the queries of cases.
const Execution = "role of --execute"

// ExamineExecution checks that the role of badger run --execute cannot do more than read. open opens its warehouse, as
// that command does, for reading.
func ExamineExecution(ctx context.Context, open func(ctx context.Context) (*store.Store, error)) Check {
	w, err := open(ctx)
	if err != nil {
		return Failure(Execution, err, "look at the URL of --execute, or execute.url of the configuration")
	}
	defer w.Close() //nolint:errcheck // it was only read
	p, err := w.Powers(ctx)
	switch {
	case err != nil:
		return Failure(Execution, err, "let the role read the catalog")
	case len(p.Refused) > 0:
		return Check{
			Name: Execution, Status: Failed, Code: errcode.PermissionDenied.String(), Fix: w.SQL().Reader,
			Detail: "it " + strings.Join(p.Refused, ", ") + "; badger run --execute refuses it",
		}
	case len(p.Named) > 0:
		return Check{Name: Execution, Status: Warning,
			Detail: "it " + strings.Join(p.Named, ", ") + "; the read-only transaction keeps queries from that",
			Fix:    "revoke what the questions do not need"}
	case !p.Known:
		return Check{Name: Execution, Status: OK,
			Detail: "a " + w.Dialect() +
				" connection does not show the rights of its role; docs/eval/execution.md lists the rights that it needs"}
	}
	return Check{Name: Execution, Status: OK, Detail: "the role can only read"}
}
