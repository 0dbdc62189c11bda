package metric

import "slices"

// stefAsked is a filter that the question asks for, and whether the query applies it.
type stefAsked struct {
	stefFilter
	Status     string `json:"status"`      // applied, incorrect or missing
	SQLFilters []int  `json:"sql_filters"` // numbers of the query's filters that correspond to it, from 1
	By         string `json:"by"`          // texts or judge: how the filter was found to be applied
}

// stefAlignment is the alignment of the filters of a question with those of a query (STEF, section 3.3).
type stefAlignment struct {
	asked   []stefAsked
	extras  []stefFilter
	status  string
	lenient bool

	overruled []string // why filters have another status than the judge's
	doubts    []string // warnings
}

// alignFilters aligns the filters of the question with those of the query. A filter is applied, whatever the judge
// replied, if the query has it in normal form with constants and it restricts all rows. It is not, if the query has no
// condition at all, or restricts the same column to other numbers or names or by the opposite. The judge's reply
// decides about the others. It returns an error if the reply names a filter number that the query does not have.
func alignFilters(asked []stefAsked, spec *querySpec, rules *stefRules) (stefAlignment, error) {
	a := stefAlignment{asked: []stefAsked{}, extras: []stefFilter{}}
	there := make([]stefFilter, len(spec.Filters))
	for i, f := range spec.Filters {
		there[i] = f.normal(rules.names)
	}
	used := make([]bool, len(there))
	applied := 0
	for number, q := range asked {
		for _, n := range q.SQLFilters {
			if n < 1 || n > len(there) {
				return a, unusable("it names filter %d, the query has %d", n, len(there))
			}
			used[n-1] = true // a filter of the query for an ignored filter of the question is not an extra filter
		}
		n := q.normal(rules.names)
		if rules.ignored[n.LHS] {
			continue
		}
		q.By, q.SQLFilters = "judge", append([]int{}, q.SQLFilters...)
		for i := range there {
			if !spec.decided[i] || !n.equal(there[i]) {
				continue
			}
			q.Status, q.By = "applied", "texts"
			if used[i] = true; !slices.Contains(q.SQLFilters, i+1) {
				q.SQLFilters = append(q.SQLFilters, i+1)
			}
		}
		if q.Status == "applied" && q.By == "judge" {
			status, why, doubt := spec.overrules(number, &q, &n, there, rules)
			if status != "" {
				q.Status, q.By = status, "texts"
				a.overruled = append(a.overruled, why)
			}
			if doubt != "" {
				a.doubts = append(a.doubts, doubt)
			}
		}
		if q.Status == "applied" {
			applied++
		}
		a.asked = append(a.asked, q)
	}
	a.lenient = true
	for i, f := range spec.Filters {
		if !used[i] {
			a.extras = append(a.extras, f)
			a.lenient = a.lenient && spec.benign[i]
		}
	}
	switch {
	case applied < len(a.asked) && applied == 0:
		a.status = notApplied
	case applied < len(a.asked):
		a.status = partiallyApplied
	case len(a.extras) > 0:
		a.status = fullyAppliedWithExtras
	default:
		a.status = fullyApplied
	}
	a.lenient = a.lenient && a.status == fullyAppliedWithExtras // equation 14
	return a, nil
}
