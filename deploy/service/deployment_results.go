package service

import (
	"encoding/json"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/errcode"
)

// Results lists the results in the warehouse that callers of badger serve may refer to: the values under
// deploy.results. If nothing is listed, callers must send their results.
type Results struct {
	Tables  []string `yaml:"tables"`  // allowed table: references, as SCHEMA.TABLE or SCHEMA.*
	Queries bool     `yaml:"queries"` // allow query: references to all query results that the warehouse still stores
}

// complete returns an error for an invalid value.
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

// Any reports whether any result is allowed.
func (r *Results) Any() bool { return len(r.Tables) > 0 || r.Queries }

// Environment returns the environment variables that allow these results in badger serve.
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
