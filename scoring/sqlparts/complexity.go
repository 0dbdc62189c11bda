package sqlparts

// Tier is the complexity of a query by Algorithm 1 of the BADGER paper (section 4.3). The names are
// Spider's, the rules are not.
type Tier string

// The tiers, simplest first.
const (
	Easy      Tier = "easy"
	Medium    Tier = "medium"
	Hard      Tier = "hard"
	ExtraHard Tier = "extra hard"
)

// Signals are the inputs of Algorithm 1: the sizes of the component sets and four flags (line 1 to 5).
type Signals struct {
	Select, Where, GroupBy, OrderBy, Tables, Having int

	Join   bool // more than one table, or one of JOIN, INNER, LEFT, RIGHT, FULL, OUTER
	Nested bool // a condition of WHERE whose value is a subquery
	SetOp  bool // UNION, INTERSECT or EXCEPT
	CTE    bool // WITH

	// Fired lists the indicators of line 12 that are 1, in the order of the paper: "select>3", "where>3",
	// "group_by>2", "nested", "set_op", "having", "cte", "tables>3". They are listed for every tier, though only
	// the higher tiers need them.
	Fired []string
}

// signalsOf returns the inputs of Algorithm 1 for the components of a query.
func signalsOf(c Components) Signals {
	s := Signals{Select: len(c.Select), Where: len(c.Where), GroupBy: len(c.GroupBy), OrderBy: len(c.OrderBy),
		Tables: len(c.Tables), Having: len(c.Having), Join: len(c.Tables) > 1}
	for _, k := range c.Keywords {
		switch k {
		case "JOIN", "INNER", "LEFT", "RIGHT", "FULL", "OUTER":
			s.Join = true
		case "UNION", "INTERSECT", "EXCEPT":
			s.SetOp = true
		case "WITH":
			s.CTE = true
		}
	}
	for _, w := range c.Where {
		s.Nested = s.Nested || w.Value == "subquery"
	}
	for _, i := range []struct {
		fires bool
		name  string
	}{
		{s.Select > 3, "select>3"}, {s.Where > 3, "where>3"}, {s.GroupBy > 2, "group_by>2"}, {s.Nested, "nested"},
		{s.SetOp, "set_op"}, {s.Having > 0, "having"}, {s.CTE, "cte"}, {s.Tables > 3, "tables>3"},
	} {
		if i.fires {
			s.Fired = append(s.Fired, i.name)
		}
	}
	return s
}

// Complexity applies Algorithm 1 of the BADGER paper (section 4.3), as printed, to the components of a query. It
// returns the tier and the signals that determine it.
func Complexity(c Components) (Tier, Signals) {
	s := signalsOf(c)
	switch {
	case s.Select <= 1 && s.Where <= 1 && s.GroupBy == 0 && s.OrderBy == 0 && !s.Join && !s.Nested && !s.SetOp: // line 6
		return Easy, s
	case s.Select <= 3 && s.Where <= 2 && s.GroupBy == 0 && !s.Nested && !s.SetOp && !s.CTE: // line 9
		return Medium, s
	case len(s.Fired) >= 2: // line 12 and 13
		return ExtraHard, s
	case s.Select > 2 || s.Where > 2 || s.GroupBy >= 2 || s.Nested || s.SetOp || s.CTE: // line 15
		return Hard, s
	}
	return Medium, s
}
