package scoring

// Kind is how two columns are compared.
type Kind string

// The kinds of comparison.
const (
	KindNumber Kind = "numeric" // exact numbers, or within a bound that Comparison states
	KindTime   Kind = "date"    // dates, times and timestamps; a date is its midnight
	KindBool   Kind = "boolean" // true and false in whatever words
	KindText   Kind = "text"    // lower case, outer blanks dropped, inner runs of blanks one
)

// Alignment maps the columns of a predicted result to those of a gold result: stage 1 of the BADGER paper's hybrid
// execution accuracy (section 5.2), found from the evidence or proposed by a judge. It is stored with the score
// that was computed under it. Columns are named by position (from 0), since names may repeat.
type Alignment struct {
	Source  string       `json:"source"`            // who found it: evidence, judge or given
	Columns []ColumnPair `json:"columns"`           // in the order of the gold columns
	Missing []int        `json:"missing,omitempty"` // gold columns without a counterpart
	Extra   []int        `json:"extra,omitempty"`   // predicted columns that gold does not have; they are not compared
	// those of Extra that carry nothing: a row number, a constant, a copy
	Trivial []int `json:"trivial,omitempty"`
	// Columns whose numbers are equal and whose units contradict each other
	Refused []ColumnPair `json:"refused,omitempty"`
	// Pairs whose values agree and whose names deny each other; they are not in Columns
	Crossed    []ColumnPair `json:"crossed,omitempty"`
	Index      []int        `json:"index,omitempty"` // positions in Columns that together are a unique key on both sides
	Confidence float64      `json:"confidence"`      // 0 to 1: how sure the correspondence of the columns is
	Why        []string     `json:"why,omitempty"`   // what the confidence rests on, one clause each
}

// ColumnPair is a gold column and the predicted column that answers it.
type ColumnPair struct {
	Gold    int     `json:"gold"`
	Pred    int     `json:"pred"`
	By      string  `json:"by"`      // values, name, position or judge
	Overlap float64 `json:"overlap"` // 0 to 1: share of the values of both columns that have an equal on the other side
	Comparison
}

// Comparison is when a gold and a predicted cell count as equal. NULL equals NULL (and NaN) and
// nothing else.
type Comparison struct {
	Kind Kind `json:"kind"`
	// Scale: the predicted number times 10^Scale is compared with the gold one; -2 where it is a
	// percentage of a gold fraction.
	Scale int `json:"scale,omitempty"`
	// Within is the largest absolute difference, in gold's unit, such as 0.005 where one side is
	// rounded to two digits.
	Within float64 `json:"within,omitempty"`
	// Tolerance is the largest relative difference, |g-p| / max(|g|,|p|).
	Tolerance float64 `json:"tolerance,omitempty"`
	// GoldFormat and PredFormat are how text is read as numbers or dates, where one side is written
	// as text.
	GoldFormat string `json:"gold_format,omitempty"`
	PredFormat string `json:"pred_format,omitempty"`
	// Verbatim: letter case counts, since a side holds strings that differ only in case.
	Verbatim bool `json:"verbatim,omitempty"`
	// Fact is the difference in words, if there is one: "rounded to 2 digits", "percent for
	// fraction".
	Fact string `json:"fact,omitempty"`
}

// Exact reports whether only equal values count as equal.
func (c Comparison) Exact() bool { return c.Within == 0 && c.Tolerance == 0 }
