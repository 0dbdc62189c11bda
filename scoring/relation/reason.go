package relation

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/internal/printable"
)

// Reason is the main reason why an answer differs from gold: the relation that explains most, and how large the
// difference is.
type Reason struct {
	Relation string   `json:"relation"`
	Name     string   `json:"name"` // display name
	Group    Group    `json:"group"`
	Class    Class    `json:"class"`
	Columns  []string `json:"columns,omitempty"`         // names of the gold columns that differ
	Answered []string `json:"answer_columns,omitempty"`  // names of the answer's columns that differ
	Gold     string   `json:"gold_part,omitempty"`       // the part of gold's query that differs, such as a condition
	Answer   string   `json:"answer_part,omitempty"`     // the part of the answer's query that differs
	GoldRows int      `json:"gold_rows"`                 // number of rows of gold
	Rows     int      `json:"answer_rows"`               // number of rows of the answer
	Missing  int      `json:"missing_rows,omitempty"`    // number of gold rows without an equal row in the answer
	Extra    int      `json:"additional_rows,omitempty"` // number of the answer's rows without an equal row in gold
	Sizes    []Size   `json:"sizes,omitempty"`           // of the columns that differ; empty if the results are unknown
	Error    string   `json:"error,omitempty"`           // the database's message, if the query failed

	open bool   // rows tie at the cut, and the question does not say which of them to keep
	text string // Relation.Text
}

// Size is how much a column of the answer differs from gold's over the matched rows.
type Size struct {
	Column string `json:"column"` // name of the gold column
	Differ int    `json:"differ"` // number of rows in which it differs
	Of     int    `json:"of"`     // number of matched rows

	// Range is set if all differing values are numbers and gold's are not zero.
	Range *Range `json:"range,omitempty"`
	// Gold and Answer are the two values if each result has one row.
	Gold   string `json:"gold,omitempty"`
	Answer string `json:"answer,omitempty"`
}

// Range is the lowest and the highest relative difference, (answer - gold) / |gold|: 0.5 is 50 % too high.
type Range struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// NewReason returns the reason for a relation, without sizes. gold and answer are the names of the columns of the two
// results.
func NewReason(r *Relation, gold, answer []string) *Reason {
	at := func(names []string, columns []int) (out []string) {
		for _, i := range columns {
			switch {
			case i < 0 || i >= len(names):
			case names[i] == "":
				out = append(out, "column "+strconv.Itoa(i+1))
			default:
				out = append(out, names[i])
			}
		}
		return out
	}
	return &Reason{
		Relation: r.Name, Name: DisplayName(r.Name), Group: GroupOf(r.Name), Class: r.Class,
		Columns: at(gold, r.Proof.GoldColumns), Answered: at(answer, r.Proof.PredColumns),
		Gold: r.Proof.Gold, Answer: r.Proof.Pred, GoldRows: r.Proof.GoldRows, Rows: r.Proof.PredRows,
		Missing: r.Proof.OnlyGold, Extra: r.Proof.OnlyPred, text: r.Text, open: slices.Contains(r.Proof.Facts, openTie),
	}
}

// NewFailure returns the reason for an answer whose query failed; message is the database's error message.
func NewFailure(message string) *Reason {
	return &Reason{
		Relation: QueryFailed, Name: DisplayName(QueryFailed), Group: QueryDidNotRun, Class: Difference, Error: message,
	}
}

// Span is a part of a sentence. Code is true for a name or a part of a query, which is quoted unchanged.
type Span struct {
	Text string
	Code bool
}

// Sentence returns the reason as one line, which omits its subject, the answer: the first template of the relation in
// forms whose slots are all known, else the text of the relation, else its display name.
type Sentence []Span

// String returns the sentence with code in back quotes.
func (s Sentence) String() string {
	var b strings.Builder
	for _, p := range s {
		if p.Code {
			b.WriteString("`" + p.Text + "`")
		} else {
			b.WriteString(p.Text)
		}
	}
	return b.String()
}

// MarshalJSON returns the fields of the reason and its sentence.
func (r *Reason) MarshalJSON() ([]byte, error) {
	type fields Reason
	return json.Marshal(struct {
		Sentence string `json:"sentence"`
		*fields
	}{r.Sentence().String(), (*fields)(r)})
}

// Sentence returns the reason as one line, which omits its subject, the answer: the first template of the relation in
// forms whose slots are all known, else the text of the relation, else its display name.
func (r *Reason) Sentence() Sentence {
	for _, form := range forms[r.Relation] {
		if s := r.fill(form); s != nil {
			return s
		}
	}
	if r.text != "" {
		return Sentence{{Text: r.text}}
	}
	return Sentence{{Text: r.Name + "."}}
}

// fill replaces the slots, which are in braces, of a template. It returns nil if one of them is not known.
func (r *Reason) fill(form string) Sentence {
	var out Sentence
	for form != "" {
		before, rest, found := strings.Cut(form, "{")
		if before != "" {
			out = append(out, Span{Text: before})
		}
		if !found {
			break
		}
		name, after, _ := strings.Cut(rest, "}")
		spans := r.slot(name)
		if spans == nil {
			return nil
		}
		out, form = append(out, spans...), after
	}
	return out
}

// quotedCode is the maximum number of bytes of a query or name that a sentence quotes.
const quotedCode = 60

// slot returns the text of a slot, empty for a condition that holds; nil if it is not known or the condition does not
// hold.
func (r *Reason) slot(name string) Sentence {
	if noun, number, counts := r.counted(name); counts {
		if number == 0 && name != "answer rows" {
			return nil
		}
		return plain(printable.Count(number, noun))
	}
	switch name {
	case "gold":
		return code(r.Gold)
	case "answer":
		return code(r.Answer)
	case "error":
		first, _, _ := strings.Cut(strings.TrimSpace(r.Error), "\n") // the others point into the query
		return plain(bounded(first, 160))
	case "columns":
		return codeList(r.Columns)
	case "answer columns":
		return codeList(r.Answered)
	case "their":
		return plain(printable.Verb(len(r.Columns), "its", "their"))
	case "are":
		return plain(printable.Verb(len(r.Columns), "is", "are"))
	case "rows":
		return plain(printable.Count(r.Rows, "row") + " instead of " + strconv.Itoa(r.GoldRows))
	case "gold number":
		return plain(strconv.Itoa(r.GoldRows))
	case "same of":
		return plain(strconv.Itoa(r.GoldRows-r.Missing) + " of " + printable.Count(r.GoldRows, "row"))
	case "size":
		return r.size()
	}
	if r.holds(name) {
		return Sentence{}
	}
	return r.one(name)
}

// counted returns the noun and the number of a slot that shows a count. counts is false for other slots.
func (r *Reason) counted(name string) (noun string, number int, counts bool) {
	switch name {
	case "gold rows":
		return "row", r.GoldRows, true
	case "answer rows":
		return "row", r.Rows, true
	case "missing rows":
		return "row", r.Missing, true
	case "extra rows":
		return "row", r.Extra, true
	case "missing groups":
		return "group", r.Missing, true
	case "extra groups":
		return "group", r.Extra, true
	}
	return "", 0, false
}

// holds reports whether the slot is a condition, such as {more}, that is true of the reason.
func (r *Reason) holds(name string) bool {
	var off *Range
	if len(r.Sizes) == 1 {
		off = r.Sizes[0].Range
	}
	switch name {
	case "fewer":
		return r.Rows < r.GoldRows
	case "more":
		return r.Rows > r.GoldRows
	case "none":
		return r.Rows == 0
	case "open":
		return r.open
	case "higher":
		return off != nil && off.Low > 0
	case "lower":
		return off != nil && off.High < 0
	}
	return false
}

// one returns the text of the slots {differ}, {values} and {off}; nil if it is unknown. The last two need exactly one
// column that differs.
func (r *Reason) one(name string) Sentence {
	if name == "differ" && r.Missing > 0 {
		return plain(printable.Count(r.Missing, "row") + " " + printable.Verb(r.Missing, "differs", "differ"))
	}
	if len(r.Sizes) != 1 {
		return nil
	}
	switch s := &r.Sizes[0]; {
	case name == "values" && s.Gold != "":
		return plain(bounded(s.Answer, 40) + " instead of " + bounded(s.Gold, 40))
	case name == "off" && s.Answer != "0":
		return plain(s.Range.String())
	}
	return nil
}

func plain(text string) Sentence {
	if text == "" {
		return nil
	}
	return Sentence{{Text: text}}
}

func code(text string) Sentence {
	if text == "" {
		return nil
	}
	return Sentence{{Text: bounded(text, quotedCode), Code: true}}
}

// codeList formats a list of names as code, and the number of those beyond the maximum.
func codeList(names []string) (out Sentence) {
	shown := names
	if len(names) > shownColumns+1 {
		shown = names[:shownColumns]
	}
	for i, n := range shown {
		switch {
		case i == 0:
		case i == len(names)-1:
			out = append(out, Span{Text: " and "})
		default:
			out = append(out, Span{Text: ", "})
		}
		out = append(out, code(n)...)
	}
	if more := len(names) - len(shown); more > 0 {
		out = append(out, Span{Text: " and " + strconv.Itoa(more) + " more"})
	}
	return out
}

// size returns how much the columns differ, such as: `net_revenue` is 8.3 to 35 % too high. It is nil if no sizes are
// known.
func (r *Reason) size() Sentence {
	if len(r.Sizes) == 0 {
		return nil
	}
	var names []string
	differ, of := 0, 0
	for _, s := range r.Sizes {
		names = append(names, s.Column)
		differ, of = max(differ, s.Differ), max(of, s.Of)
	}
	out := codeList(names)
	rows := printable.Count(of, "row")
	where := " in " + strconv.Itoa(differ) + " of " + rows
	if len(r.Sizes) == 1 {
		if text := r.Sizes[0].Range.String(); text != "" {
			if differ == of {
				where = ""
			}
			return append(out, Span{Text: " is " + text + where})
		}
	}
	switch {
	case of == 1:
		where = ""
	case differ == of:
		where = " in all " + rows
	case slices.ContainsFunc(r.Sizes, func(s Size) bool { return s.Differ != differ }):
		where = " in up to " + strconv.Itoa(differ) + " of " + rows
	}
	return append(out, Span{Text: " " + printable.Verb(len(names), "differs", "differ") + where})
}

// String returns the range in percent, such as "8.3 to 35 % too high", or as a multiple of gold if the answer is at
// least 10 times gold. It is "" for nil.
func (r *Range) String() string {
	if r == nil {
		return ""
	}
	low, high := r.Low, r.High
	switch {
	case low >= 9:
		return among(1+low, 1+high, twoDigits) + " times gold's"
	case low > 0:
		return among(low, high, percent) + " % too high"
	case high < 0:
		return among(-high, -low, percent) + " % too low"
	}
	return "up to " + percent(-low) + " % too low and up to " + percent(high) + " % too high"
}

// among formats a range of numbers, or one number if write returns the same text for both.
func among(low, high float64, write func(float64) string) string {
	if a, b := write(low), write(high); a != b {
		return a + " to " + b
	}
	return write(low)
}

// percent formats a share in percent with two significant digits, or as a whole number from 10 % on.
func percent(share float64) string {
	if p := 100 * share; p >= 0.01 {
		return twoDigits(p)
	}
	return "less than 0.01"
}

// twoDigits formats a positive number with two significant digits, or as a whole number from 10 on.
func twoDigits(x float64) string { return printable.Figure(x, 2) }
