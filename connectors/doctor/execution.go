package doctor

import (
	"context"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/sql/store"
)

// Execution is the name of the check of the warehouse that runs the queries of cases.
const Execution = "role of --execute"

// ExamineExecution examines the role with which badger run --execute runs queries of others. Open
// opens the warehouse as it does, to read.
func ExamineExecution(ctx context.Context, open func(ctx context.Context) (*store.Store, error)) Check {
	failed := func(err error, fix string) Check {
		return Check{Name: Execution, Status: Failed, Detail: err.Error(), Fix: fix, Code: errcode.Of(err).String()}
	}
	w, err := open(ctx)
	if err != nil {
		return failed(err, "look at the URL of --execute, or execute.url of the configuration")
	}
	defer w.Close() //nolint:errcheck // it was only read
	p, err := w.Powers(ctx)
	switch {
	case err != nil:
		return failed(err, "let the role read the catalog")
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
				" connection cannot be asked what its role may do; docs/eval/execution.md says what it needs"}
	}
	return Check{Name: Execution, Status: OK, Detail: "it only reads"}
}
