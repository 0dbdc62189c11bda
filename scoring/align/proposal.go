package align

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/scoring"
)

// Proposal is a judge's mapping of the columns of two results: the structural part of the document that the BADGER
// paper asks a model for in stage 1 (section 5.2, appendix A.3). [Accept] applies only the parts that the values
// confirm.
type Proposal struct {
	Columns []ProposedPair `json:"column_mapping"`
	Index   []ColumnRef    `json:"index_columns,omitempty"`   // gold columns that together identify a row
	Missing []ColumnRef    `json:"missing_columns,omitempty"` // gold columns without a counterpart
	Extra   []ColumnRef    `json:"extra_columns,omitempty"`   // predicted columns without a counterpart
	// a relative tolerance for numbers that are not whole; nil if none is recommended
	Tolerance *float64 `json:"recommended_tolerance,omitempty"`
}

// ProposedPair is a gold column, its proposed counterpart, and the proposed comparison of the two.
type ProposedPair struct {
	Gold  ColumnRef    `json:"gold"`
	Pred  ColumnRef    `json:"pred"`
	Kind  scoring.Kind `json:"kind,omitempty"`  // empty: found from the values
	Scale float64      `json:"scale,omitempty"` // gold is pred times 10^Scale
}

// ColumnRef refers to a column by its position, from 1, or by its name.
type ColumnRef struct {
	name     string
	position int // 0: by name
}

// Column returns a reference to the column at a position, from 1.
func Column(position int) ColumnRef { return ColumnRef{position: position} }

// ColumnNamed returns a reference to the column with a name.
func ColumnNamed(name string) ColumnRef { return ColumnRef{name: name} }

// UnmarshalJSON reads a number as a position and a string as a name. It never fails: any other value becomes a
// reference that matches no column.
func (r *ColumnRef) UnmarshalJSON(b []byte) error {
	*r = ColumnRef{position: -1}
	var s string
	if json.Unmarshal(b, &s) == nil && string(b) != "null" {
		*r = ColumnRef{name: s}
		return nil
	}
	var f float64
	if json.Unmarshal(b, &f) == nil && f >= 1 && f <= 1e6 && f == float64(int(f)) {
		r.position = int(f)
	}
	return nil
}

// MarshalJSON writes a position as a number and a name as a string.
func (r ColumnRef) MarshalJSON() ([]byte, error) {
	if r.position != 0 {
		return json.Marshal(r.position)
	}
	return json.Marshal(r.name)
}

// in returns the column that r refers to. A name must match one column only, verbatim or else ignoring case and
// punctuation; any other name may be a position written as a string. why is the reason if nothing matches, else "".
func (r ColumnRef) in(t *scoring.Table) (i int, why string) {
	if r.position != 0 {
		if r.position < 1 || r.position > len(t.Columns) {
			return -1, "there is no such column"
		}
		return r.position - 1, ""
	}
	for _, same := range []func(a, b string) bool{func(a, b string) bool { return a == b }, sameName} {
		found := -1
		for i := range t.Columns {
			if !same(t.Columns[i].Name, r.name) {
				continue
			}
			if found >= 0 {
				return -1, "several columns have this name"
			}
			found = i
		}
		if found >= 0 {
			return found, ""
		}
	}
	if n, err := strconv.Atoi(strings.TrimSpace(r.name)); err == nil && n >= 1 && n <= len(t.Columns) {
		return n - 1, ""
	}
	return -1, "there is no such column"
}
