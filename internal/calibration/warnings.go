package calibration

import "slices"

// Warning is a note with the metrics that it is about.
type Warning struct {
	Text    string
	Metrics []string // in the order of the report
}

// Warnings are the notes of the report's metrics, each once, in the order in which they come. What is
// said of the whole report is left out. More adds notes of a metric; nil: none.
func (r *Report) Warnings(more func(*Result) []string) (out []Warning) {
	for i := range r.Metrics {
		m := &r.Metrics[i]
		notes := m.Notes
		if more != nil {
			notes = slices.Concat(notes, more(m))
		}
		for _, note := range notes {
			if slices.Contains(r.Notes, note) {
				continue
			}
			at := slices.IndexFunc(out, func(w Warning) bool { return w.Text == note })
			if at < 0 {
				at, out = len(out), append(out, Warning{Text: note})
			}
			out[at].Metrics = append(out[at].Metrics, m.Key)
		}
	}
	return out
}
