package align

import "github.com/badger-eval/badger/scoring"

// readings returns all ways to compare two columns, the most natural first.
func (a *aligner) readings(g, p *column) []viewPair {
	return append(a.plainReadings(g, p), a.formReadings(g, p)...)
}

// formReadings returns the ways to compare two columns as the same values in different notations, such as calendar
// periods, durations and codes. It is slower than plainReadings.
func (a *aligner) formReadings(g, p *column) (out []viewPair) {
	if isNumeric(g) && isNumeric(p) {
		return nil
	}
	out = append(out, a.periodReadings(g, p)...)
	out = append(out, a.cutReadings(g, p)...)
	if g.kind == p.kind && g.kind != scoring.KindText {
		return out
	}
	out = append(out, a.serialReadings(g, p)...)
	out = append(out, a.durationReadings(g, p)...)
	out = append(out, a.codeReadings(g, p)...)
	out = append(out, a.textReadings(g, p)...)
	return append(out, a.truthReadings(g, p)...)
}

// withForms returns f, or a better fit with a view of formReadings if not all values agree under f.
func (a *aligner) withForms(f fit, g, p *column) fit {
	if f.agreement == 1 {
		return f
	}
	forms := a.formReadings(g, p)
	if len(forms) == 0 {
		return f
	}
	other := a.fitting(g, p, forms)
	f.equal = max(f.equal, other.equal)
	f.better(other)
	return f
}
