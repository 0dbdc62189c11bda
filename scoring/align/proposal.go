package align

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/scoring"
)

// Proposal is a judge's statement on how the columns of two results correspond: the structural part of the document
// that the BADGER paper asks a model for in stage 1 (section 5.2, appendix A.3). It is only a suggestion: [Accept]
// takes from it what the tables confirm.
type Proposal struct {
	Columns []ProposedPair `json:"column_mapping"`
	Index   []ColumnRef    `json:"index_columns,omitempty"`   // gold columns that together identify a row
	Missing []ColumnRef    `json:"missing_columns,omitempty"` // gold columns that nothing answers
	Extra   []ColumnRef    `json:"extra_columns,omitempty"`   // predicted columns that answer nothing
	// relative, of numbers that are not whole; nil: none recommended
	Tolerance *float64 `json:"recommended_tolerance,omitempty"`
}

// ProposedPair is a gold column, its proposed counterpart, and the proposed comparison of the two.
type ProposedPair struct {
	Gold  ColumnRef    `json:"gold"`
	Pred  ColumnRef    `json:"pred"`
	Kind  scoring.Kind `json:"kind,omitempty"`  // empty: as the values show
	Scale float64      `json:"scale,omitempty"` // gold is pred times 10 to the power of it
}

// ColumnRef names a column: by its position, from 1, or by its name.
type ColumnRef struct {
	name     string
	position int // 0: by name
}

// Column names the column at a position, from 1.
func Column(position int) ColumnRef { return ColumnRef{position: position} }

// ColumnNamed names a column by its name.
func ColumnNamed(name string) ColumnRef { return ColumnRef{name: name} }

// UnmarshalJSON reads a number as a position and a string as a name. Any other value is a reference to no column.
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

// MarshalJSON writes a position as a number and a name as text.
func (r ColumnRef) MarshalJSON() ([]byte, error) {
	if r.position != 0 {
		return json.Marshal(r.position)
	}
	return json.Marshal(r.name)
}

// in returns the column. A name is compared verbatim first, then without regard to case and punctuation, and must
// belong to one column only. A name without a column may be a position written as a string. why is the reason if
// there is no such column.
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
