package scoring

import "slices"

// DefaultPrimary is the primary metric of runs that score it, unless another one is declared.
const DefaultPrimary = "hybrid_ex"

// Primary returns the metric, among names, that decides whether an answer is right: the declared one, else
// [DefaultPrimary], else the first of known that gives verdicts, else the first name in the order of known; names that
// are not known come last, sorted. It returns "" for no names. All reports, pages and tests use it.
func Primary(declared string, names []string, known []Metric) string {
	for _, name := range []string{declared, DefaultPrimary} {
		if name != "" && slices.Contains(names, name) {
			return name
		}
	}
	first := ""
	for i := range known {
		switch m := &known[i]; {
		case !slices.Contains(names, m.Name):
		case m.Threshold != nil:
			return m.Name
		case first == "":
			first = m.Name
		}
	}
	if first == "" && len(names) > 0 {
		first = slices.Min(names)
	}
	return first
}
