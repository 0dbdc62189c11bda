package service

import (
	"encoding/json"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/errcode"
)

// Results are the results of the warehouse that callers of badger serve may name: the values under
// deploy.results. If nothing is listed, callers send their results.
type Results struct {
	Tables  []string `yaml:"tables"`  // SCHEMA.TABLE and SCHEMA.*, for references table:
	Queries bool     `yaml:"queries"` // query:, any result that the warehouse remembers
}

// complete checks what is there.
func (r *Results) complete() error {
	for _, pattern := range r.Tables {
		if err := CheckText("deploy.results.tables", pattern); err != nil {
			return err
		}
	}
	if _, err := driver.ParseAllowed(r.Tables); err != nil {
		return errcode.New(errcode.InvalidArgument, "values: deploy.results.tables: %w", err)
	}
	return nil
}

// Any reports whether anything is listed.
func (r *Results) Any() bool { return len(r.Tables) > 0 || r.Queries }

// Environment returns the variables that configure them in badger serve.
func (r *Results) Environment() map[string]string {
	out := map[string]string{}
	if len(r.Tables) > 0 {
		text, err := json.Marshal(r.Tables) // which is YAML, too
		if err != nil {
			panic(err) // texts have JSON
		}
		out["BADGER_RESULTS_TABLES"] = string(text)
	}
	if r.Queries {
		out["BADGER_RESULTS_QUERIES"] = "true"
	}
	return out
}
