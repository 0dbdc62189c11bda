package calibration

import "slices"

// Warning is a note with the keys of its metrics.
type Warning struct {
	Text    string
	Metrics []string // keys, in the order of the report
}

// Warnings returns each note of the report's metrics once, in their order. It omits notes of the whole report. more,
// if not nil, returns additional notes of a metric.
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
