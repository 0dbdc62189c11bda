package sqlparts

// inARow reports whether a query has adjacent operators without parentheses whose relative precedence is unknown in
// its dialect.
func (s *Script) inARow(q *Query) bool {
	found := false
	check := func(outer rank, e Node, inner Expr, left bool) {
		if inner == nil || found {
			return
		}
		from, to := e.Range()
		start, end := inner.Range()
		if left && start != from || !left && end != to {
			return // in parentheses
		}
		found = s.Dialect.unsure(outer, rankOf(inner))
	}
	Walk(q, func(n Node) bool {
		switch n := n.(type) {
		case *Binary:
			r := rankOf(n)
			check(r, n, n.L, true)
			check(r, n, n.R, false)
		case *Unary:
			if n.Op == "~" {
				check(rankPrefix, n, n.X, false)
			}
		case *In:
			check(rankMatch, n, n.X, true)
		case *Like:
			check(rankMatch, n, n.X, true)
			if n.Escape == nil {
				check(rankMatch, n, n.Pattern, false)
			}
		case *Between:
			check(rankMatch, n, n.X, true)
			check(rankMatch, n, n.High, false)
		case *Is:
			check(rankIs, n, n.X, true)
			check(rankIs, n, n.What, false)
		}
		return !found
	})
	return found
}

// rank is a class of operators whose relative precedence depends on the dialect.
type rank uint8

const (
	rankNone    rank = iota
	rankIs           // IS
	rankCompare      // = <> < <= > >=
	rankMatch        // IN, BETWEEN, LIKE
	rankBit          // | & ^ # << >> and other operators
	rankConcat       // ||
	rankSum          // + - * / %
	rankPrefix       // ~ before its operand
)

func rankOf(e Node) rank {
	switch e := e.(type) {
	case *Is:
		return rankIs
	case *In, *Like, *Between:
		return rankMatch
	case *Unary:
		if e.Op == "~" {
			return rankPrefix
		}
	case *Binary:
		switch prec := opPrec(e.Op); {
		case e.Op == "is distinct from" || e.Op == "is not distinct from":
			return rankIs
		case e.Op == "||":
			return rankConcat
		case prec == precCompare:
			return rankCompare
		case prec == precSum || prec == precProduct:
			return rankSum
		case prec == precBit || prec == precPower:
			return rankBit
		}
	}
	return rankNone
}

// unsure reports whether it is unknown for the dialect which of two kinds of operators binds more tightly.
// PostgreSQL, DuckDB, SQLite and MariaDB were tested; for the others, their manuals decide.
func (d Dialect) unsure(outer, inner rank) bool {
	if outer == rankNone || inner == rankNone {
		return false
	}
	comparing := func(r rank) bool { return r == rankIs || r == rankCompare || r == rankMatch }
	switch {
	case comparing(outer) && comparing(inner):
		switch d {
		case Postgres, DuckDB, SQLite:
			return false
		case MySQL:
			return outer == rankMatch && inner == rankMatch
		}
		return true
	case comparing(outer) || comparing(inner):
		return false
	case outer == rankSum && inner == rankSum:
		return false
	}
	switch d {
	case Postgres, DuckDB, SQLite, MySQL, TSQL:
		return false
	case BigQuery, Databricks:
		return outer == rankPrefix && inner == rankPrefix
	}
	return outer != inner || outer == rankBit
}
