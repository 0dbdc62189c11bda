package doctor

import (
	"context"
	"strings"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/internal/errcode"
)

// Execution is the name of the check of the warehouse that runs the queries of cases.
const Execution = "role of --execute"

// revokes are how a role loses what queries of others must not be run with, by dialect.
var revokes = map[string]string{
	"postgres": "CREATE ROLE reader LOGIN; GRANT USAGE ON SCHEMA s TO reader; GRANT SELECT ON ALL TABLES IN SCHEMA s TO reader; REVOKE CREATE ON SCHEMA public FROM PUBLIC; and name that role in the URL",
	"redshift": "CREATE USER reader PASSWORD DISABLE NOCREATEDB NOCREATEUSER; GRANT USAGE ON SCHEMA s TO reader; GRANT SELECT ON ALL TABLES IN SCHEMA s TO reader; and name that user in the URL",
}

// ExamineExecution examines the role with which badger run --execute runs queries of others. Open
// opens the warehouse as it does, to read.
func ExamineExecution(ctx context.Context, open func(ctx context.Context) (*connectors.Warehouse, error)) Check {
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
			Name: Execution, Status: Failed, Code: errcode.PermissionDenied.String(), Fix: revokes[w.Dialect()],
			Detail: "it " + strings.Join(p.Refused, ", ") + "; badger run --execute refuses it",
		}
	case len(p.Named) > 0:
		return Check{Name: Execution, Status: Warning, Detail: "it " + strings.Join(p.Named, ", ") + "; the read-only transaction keeps queries from that", Fix: "revoke what the questions do not need"}
	case !p.Known:
		return Check{Name: Execution, Status: OK, Detail: "a " + w.Dialect() + " connection cannot be asked what its role may do; docs/execution.md says what it needs"}
	}
	return Check{Name: Execution, Status: OK, Detail: "it only reads"}
}
