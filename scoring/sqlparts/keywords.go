package sqlparts

import (
	"slices"
	"strings"
)

// keywords is a set of the keywords of a query.
type keywords uint64

// keyword is one keyword. The constants are in alphabetical order of the keywords' texts.
type keyword uint8

const (
	kwAll keyword = iota
	kwAnti
	kwAsc
	kwAsof
	kwBetween
	kwCase
	kwCross
	kwCube
	kwDesc
	kwDistinct
	kwExcept
	kwExists
	kwFlatten
	kwFull
	kwGroupBy
	kwGroupingSets
	kwHaving
	kwIlike
	kwIn
	kwInner
	kwIntersect
	kwJoin
	kwLateral
	kwLeft
	kwLike
	kwLimit
	kwMatchRecognize
	kwNatural
	kwNot
	kwOffset
	kwOr
	kwOrderBy
	kwOuter
	kwOver
	kwPivot
	kwQualify
	kwRecursive
	kwRight
	kwRollup
	kwSemi
	kwTablesample
	kwUnion
	kwUnnest
	kwUnpivot
	kwWhere
	kwWith
)

var keywordTexts = [...]string{"ALL", "ANTI", "ASC", "ASOF", "BETWEEN", "CASE", "CROSS", "CUBE", "DESC", "DISTINCT",
	"EXCEPT",
	"EXISTS", "FLATTEN", "FULL", "GROUP BY", "GROUPING SETS", "HAVING", "ILIKE", "IN", "INNER", "INTERSECT", "JOIN",
	"LATERAL",
	"LEFT", "LIKE", "LIMIT", "MATCH_RECOGNIZE", "NATURAL", "NOT", "OFFSET", "OR", "ORDER BY", "OUTER", "OVER", "PIVOT",
	"QUALIFY", "RECURSIVE", "RIGHT", "ROLLUP", "SEMI", "TABLESAMPLE", "UNION", "UNNEST", "UNPIVOT", "WHERE", "WITH"}

// KeywordList returns all words that [Components.Keywords] may contain, sorted.
func KeywordList() []string { return slices.Clone(keywordTexts[:]) }

var (
	setKeywords      = [...]keyword{Union: kwUnion, Intersect: kwIntersect, Except: kwExcept}
	groupingKeywords = map[string]keyword{"rollup": kwRollup, "cube": kwCube, "grouping sets": kwGroupingSets}
)

func (k *keywords) add(w keyword) { *k |= 1 << w }

// list returns the keywords of the set as sorted strings, nil if it is empty.
func (k keywords) list() []string {
	var out []string
	for i, s := range keywordTexts {
		if k&(1<<i) != 0 {
			out = append(out, s)
		}
	}
	return out
}

// expr adds the keywords of an expression, subqueries excepted.
func (k *keywords) expr(e Expr) {
	if e != nil {
		Walk(e, k.visit)
	}
}

func (k *keywords) window(w *Window) {
	if w != nil {
		Walk(w, k.visit)
	}
}

func (k *keywords) visit(n Node) bool {
	switch n := n.(type) {
	case *Query:
		return false
	case *Logic:
		if n.Or {
			k.add(kwOr)
		}
	case *Unary:
		if n.Op == "not" {
			k.add(kwNot)
		}
	case *In:
		k.add(kwIn)
		k.not(n.Not)
	case *Between:
		k.add(kwBetween)
		k.not(n.Not)
	case *Like:
		switch n.Op {
		case "like":
			k.add(kwLike)
		case "ilike":
			k.add(kwIlike)
		}
		k.not(n.Not)
	case *Is:
		k.not(n.Not)
	case *Exists:
		k.add(kwExists)
	case *Case:
		k.add(kwCase)
	case *Call:
		if n.Distinct {
			k.add(kwDistinct)
		}
		if n.Over != nil {
			k.add(kwOver)
		}
	}
	return true
}

func (k *keywords) not(not bool) {
	if not {
		k.add(kwNot)
	}
}

// source adds the keywords of a source, and of its join with the sources before it.
func (k *keywords) source(s *Source) {
	switch s.Join {
	case InnerJoin:
		k.add(kwInner)
	case LeftJoin:
		k.add(kwLeft)
		k.add(kwOuter)
	case RightJoin:
		k.add(kwRight)
		k.add(kwOuter)
	case FullJoin:
		k.add(kwFull)
		k.add(kwOuter)
	case CrossJoin:
		k.add(kwCross)
	case SemiJoin:
		k.add(kwSemi)
	case AntiJoin:
		k.add(kwAnti)
	}
	if s.Join > CommaJoin {
		k.add(kwJoin)
	}
	if s.Natural {
		k.add(kwNatural)
	}
	if s.Asof {
		k.add(kwAsof)
	}
	if s.Lateral {
		k.add(kwLateral)
	}
	if s.Call != nil {
		switch name := s.Call.Name.Last().Text; {
		case strings.EqualFold(name, "unnest"):
			k.add(kwUnnest)
		case strings.EqualFold(name, "flatten"):
			k.add(kwFlatten)
		}
	}
	for _, n := range s.Nested {
		k.source(n)
	}
	for _, p := range s.Pivots {
		if p.Unpivot {
			k.add(kwUnpivot)
		} else {
			k.add(kwPivot)
		}
	}
	if s.Sample != nil {
		k.add(kwTablesample)
	}
	if s.Recognize != nil {
		k.add(kwMatchRecognize)
	}
	k.expr(s.Match)
	k.expr(s.On)
}
