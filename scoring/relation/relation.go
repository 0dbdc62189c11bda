package relation

import (
	"github.com/badger-eval/badger/internal/halt"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/align"
	"github.com/badger-eval/badger/scoring/cell"
	"github.com/badger-eval/badger/scoring/sqlparts"
)

// Class is the assessment of the answer that the meaning of a relation suggests. It is a prior, not a verdict.
type Class string

// The classes, from the same data to data that differs from gold's.
const (
	Equivalent     Class = "equivalent"     // the same data
	Presentational Class = "presentational" // the same data in another form
	Defensible     Class = "defensible"     // another reading of the question that people often accept
	Difference     Class = "difference"     // data that differs from gold's
)

// Input holds two results and, optionally, their queries, question and comparison. Only Gold and Pred are required.
type Input struct {
	Gold, Pred *scoring.Table
	Alignment  *scoring.Alignment // alignment of Gold and Pred; nil: computed
	Counts     *cell.Result       // result of cell.Compare under Alignment; nil: computed

	GoldSQL, PredSQL   string
	Question, Evidence string
	Dialect            string          // SQL dialect of both queries
	Schema             string          // DDL of the tables; empty if unknown
	Texts              *sqlparts.Texts // cache of parsed queries; nil: one for this input
	Halt               *halt.Signal    // stops the search; nil: the signal of Gold
}

// Relation is a relation that holds between two results.
type Relation struct {
	Name   string `json:"name"`   // stable identifier, the Name of one of Kinds
	Family string `json:"family"` // name of the list of kinds that it is in
	Class  Class  `json:"class"`
	Text   string `json:"text"` // a sentence for display
	Proof  Proof  `json:"proof"`
}

// Proof is the evidence for a relation. Rows and columns are positions from 0. It contains no values of the results;
// parts of queries are at most 120 bytes.
type Proof struct {
	GoldRows    int      `json:"gold_rows"`
	PredRows    int      `json:"pred_rows"`
	OnlyGold    int      `json:"only_gold_rows,omitempty"` // gold rows without an equal row, counting duplicates
	OnlyPred    int      `json:"only_pred_rows,omitempty"` // the same for the answer's rows
	GoldColumns []int    `json:"gold_columns,omitempty"`   // the gold columns concerned
	PredColumns []int    `json:"pred_columns,omitempty"`
	Rows        []int    `json:"rows,omitempty"`   // up to five rows concerned, of the side that has them
	Factor      float64  `json:"factor,omitempty"` // gold's numbers are the answer's times this; 0: unset
	Gold        string   `json:"gold,omitempty"`   // the part of gold's query concerned
	Pred        string   `json:"pred,omitempty"`
	Facts       []string `json:"facts,omitempty"` // other evidence, in words
}

// Kind is a relation that Find searches for.
type Kind struct {
	Name    string
	Display string // the name for display
	Group   Group  // the category of the cause
	Family  string
	Class   Class
	Meaning string // the condition under which it holds, in one sentence
	Example string // a gold result and an answer, separated by a semicolon, for which it holds

	// WrittenFrom names the sets of labeled answers that were read when the relation was written or changed, in
	// addition to rosevec, flex200 and constructed pairs. On other sets its precision is out of sample.
	WrittenFrom string

	find func(*evidence) *found
}

// found is a finding: a relation that holds, with its proof and its sentence.
type found struct {
	proof Proof
	text  string
}

// family is a list of relations of the same kind, in the order of their examination.
type family struct {
	name  string
	kinds []Kind
}

// headerFamily is examined first. orderFamily is next if all rows agree, and last if they do not. sameFamily is
// examined if every gold cell has an equal in the answer, the others if not: first relations of results, then of
// queries, then what the results have in common.
var (
	headerFamily   = family{"headers", headerKinds}
	orderFamily    = family{"order", orderKinds}
	sameFamily     = family{"same data", sameKinds}
	resultFamilies = []family{{"nothing", nothingKinds}, {"repetitions", repetitionKinds}, {"groups", groupKinds},
		{"nulls", nullKinds}, {"totals", totalLabelKinds}, {"text", textKinds}, {"currencies", currencyKinds},
		{"parts", partKinds}, {"ties", tieKinds}, {"keys", keyKinds}, {"shape", shapeKinds}, {"left out", droppedKinds},
		{"aggregates", aggregateKinds},
		{"approximation", approximateKinds}, {"signs", owedKinds}, {"measures", measureKinds}, {"limits", limitKinds}}
	queryFamilies = []family{{"reference", referenceKinds}, {"causes", causeKinds}, {"conditions", conditionKinds},
		{"clauses", clauseKinds}}
	extentFamilies  = []family{{"extent", extentKinds}}
	differenceOrder = [][]family{resultFamilies, queryFamilies, extentFamilies}
)

// Kinds lists all relations in order of priority, without their functions.
func Kinds() []Kind {
	var all []Kind
	add := func(f family) {
		for _, k := range f.kinds {
			k.Family, k.find = f.name, nil
			all = append(all, k)
		}
	}
	add(headerFamily)
	add(orderFamily)
	add(sameFamily)
	for _, families := range differenceOrder {
		for _, f := range families {
			add(f)
		}
	}
	add(family{"extent", []Kind{unexplained}})
	return all
}

// Find returns the relations that hold between two results, the one that explains most first. It returns at least one,
// and always the same for the same input.
func Find(in Input) []Relation {
	e := newEvidence(in)
	out := e.look(nil, headerFamily)
	if e.counts.Score == 1 {
		return e.look(e.look(out, orderFamily), sameFamily)
	}
	for _, families := range differenceOrder {
		for _, f := range families {
			out = e.look(out, f)
		}
	}
	if len(out) == 0 {
		out = e.look(out, family{"extent", []Kind{unexplained}})
	}
	return e.look(out, orderFamily)
}

// Reshaped returns a relation by which the answer holds every cell of gold in another shape: columns joined into one
// string or split, rows shown as columns or the reverse. It returns nil if there is none, or if both tables have the
// same size. It ignores the queries of the input.
func Reshaped(in Input) *Relation {
	if len(in.Gold.Columns) == len(in.Pred.Columns) && in.Gold.Rows() == in.Pred.Rows() {
		return nil
	}
	in.GoldSQL, in.PredSQL = "", ""
	e := newEvidence(in)
	for _, f := range []family{{"text", textKinds}, {"parts", partKinds}, {"shape", shapeKinds}} {
		for i, k := range f.kinds {
			if !reshapes[k.Name] {
				continue
			}
			if r := e.look(nil, family{f.name, f.kinds[i : i+1]}); len(r) > 0 {
				return &r[0]
			}
		}
	}
	return nil
}

// reshapes are the relations in which no cell is lost and each can be assigned to its row and column.
var reshapes = wordSet("concatenated split period_parts struct_parts long_for_wide wide_for_long")

// Queries returns the relations between the two queries, regardless of their results. It uses only GoldSQL, PredSQL,
// Question, Evidence, Dialect, Schema, Texts and Halt of the input. It may return none.
func Queries(in Input) []Relation {
	if in.Texts == nil {
		in.Texts = new(sqlparts.Texts)
	}
	e := &evidence{Input: in, gold: scoring.EmptyTable(0), pred: scoring.EmptyTable(0)}
	e.queriesOnly = true
	var out []Relation
	for _, f := range queryFamilies {
		out = e.look(out, f)
	}
	return out
}

func (e *evidence) look(out []Relation, f family) []Relation {
	for i := range f.kinds {
		k := &f.kinds[i]
		e.Halt.Check()
		if r := k.find(e); r != nil {
			r.proof.GoldRows, r.proof.PredRows = e.gold.Rows(), e.pred.Rows()
			out = append(out, Relation{Name: k.Name, Family: f.name, Class: k.Class, Text: r.text, Proof: r.proof})
		}
	}
	return out
}

func newEvidence(in Input) *evidence {
	if in.Texts == nil {
		in.Texts = new(sqlparts.Texts)
	}
	if in.Halt == nil {
		in.Halt = in.Gold.Halt()
	}
	e := &evidence{Input: in, gold: in.Gold, pred: in.Pred, a: in.Alignment, counts: in.Counts,
		bits: cell.FloatBits(in.Gold, in.Pred)}
	if e.a == nil {
		a := align.Align(in.Gold, in.Pred, align.Options{
			Tolerance: align.DefaultTolerance, Asked: in.Question + " " + in.Evidence, GoldSQL: in.GoldSQL, PredSQL: in.PredSQL,
			Dialect: in.Dialect, Texts: in.Texts,
		})
		e.a, e.counts = &a, nil
	}
	if e.counts == nil {
		r := cell.Compare(in.Gold, in.Pred, e.a, cell.Options{})
		e.counts = &r
	}
	return e
}
