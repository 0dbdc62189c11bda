package scoring

// Kind is the kind of comparison of two columns.
type Kind string

// The kinds of comparison.
const (
	KindNumber Kind = "numeric" // compared as numbers: equal, or within the bounds of Comparison
	KindTime   Kind = "date"    // dates, times and timestamps; a date is its midnight
	KindBool   Kind = "boolean" // truth values, however they are spelled, such as yes and 1
	KindText   Kind = "text"    // strings, compared in lower case, without outer blanks, and with single inner blanks
)

// Alignment maps the columns of a predicted result to those of a gold result: stage 1 of the BADGER paper's hybrid
// execution accuracy (section 5.2). It is found from the evidence, proposed by a judge, or given. It is stored with
// the score that was computed with it. Columns are identified by position (from 0), since names may repeat.
type Alignment struct {
	Source  string       `json:"source"`            // who found it: evidence, judge or given
	Columns []ColumnPair `json:"columns"`           // in the order of the gold columns
	Missing []int        `json:"missing,omitempty"` // gold columns without a counterpart
	Extra   []int        `json:"extra,omitempty"`   // predicted columns that gold does not have; they are not compared
	// the columns in Extra without information: a row number, a constant, or a copy of another column
	Trivial []int `json:"trivial,omitempty"`
	// pairs that were rejected because their units contradict each other, although their numbers are equal
	Refused []ColumnPair `json:"refused,omitempty"`
	// pairs whose values agree but whose names contradict each other; they are not in Columns
	Crossed    []ColumnPair `json:"crossed,omitempty"`
	Index      []int        `json:"index,omitempty"` // positions in Columns that together are a unique key on both sides
	Confidence float64      `json:"confidence"`      // 0 to 1: how certain it is that Columns pairs the right columns
	Why        []string     `json:"why,omitempty"`   // reasons for the confidence, one clause each
}

// ColumnPair is a gold column and the predicted column that is compared with it.
type ColumnPair struct {
	Gold    int     `json:"gold"`
	Pred    int     `json:"pred"`
	By      string  `json:"by"`      // what the pair was found by: values, name, position or judge
	Overlap float64 `json:"overlap"` // 0 to 1: share of the values of both columns that have an equal on the other side
	Comparison
}

// Comparison defines when a gold and a predicted cell are equal. NULL equals NULL (and NaN) and
// nothing else.
type Comparison struct {
	Kind Kind `json:"kind"`
	// Scale is the power of ten by which a predicted number is multiplied before it is compared with the gold number,
	// such as -2 if the prediction is a percentage and gold a fraction.
	Scale int `json:"scale,omitempty"`
	// Within is the largest absolute difference of equal numbers, in gold's unit, such as 0.005 if one side is rounded
	// to two digits.
	Within float64 `json:"within,omitempty"`
	// Tolerance is the largest relative difference of equal numbers, |g-p| / max(|g|,|p|).
	Tolerance float64 `json:"tolerance,omitempty"`
	// GoldFormat and PredFormat are the formats in which strings are parsed as numbers or dates; empty if the cells are
	// not strings.
	GoldFormat string `json:"gold_format,omitempty"`
	PredFormat string `json:"pred_format,omitempty"`
	// Verbatim reports whether strings are compared with letter case, because one side holds strings that differ only in
	// case.
	Verbatim bool `json:"verbatim,omitempty"`
	// Fact describes how the two columns differ, such as "rounded to 2 digits" or "percent for fraction"; empty if they
	// do not.
	Fact string `json:"fact,omitempty"`
}

// Exact reports whether numbers must be equal, without a tolerance.
func (c Comparison) Exact() bool { return c.Within == 0 && c.Tolerance == 0 }
