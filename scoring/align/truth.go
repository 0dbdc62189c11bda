package align

import (
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/cell"
	"github.com/badger-eval/badger/scoring/naming"
)

// truthReadings returns the view of a column of words as truth values, by the name of the other column, which holds
// truth values: under is_open, open is true and closed is false.
func (a *aligner) truthReadings(g, p *column) []viewPair {
	if v, truth, ok := wordsUnder(g, p); ok {
		return []viewPair{{g: v, p: truth}}
	}
	if v, truth, ok := wordsUnder(p, g); ok {
		return []viewPair{{g: truth, p: v}}
	}
	return nil
}

// wordsUnder returns the views of a column of at most two words and of a column of truth values, by whose name one word
// is true and any other false. ok is false for other columns.
func wordsUnder(text, truth *column) (v, t cell.View, ok bool) {
	t = cell.View{Kind: scoring.KindBool}
	switch {
	case text.col.Type != scoring.String || !truth.named().Meaningful():
		return v, t, false
	case truth.kind == scoring.KindBool:
	case truth.kind == scoring.KindText && truth.textFormats().isBool:
		t.Format = cell.FormatBool
	case truth.col.Type == scoring.Int64 && !truth.col.HasNulls():
		for _, n := range truth.col.Ints() {
			if n != 0 && n != 1 {
				return v, t, false
			}
		}
	default:
		return v, t, false
	}
	words, ok := cell.FewTexts(text.col, 2)
	if !ok {
		return v, t, false
	}
	name, said := truth.named(), ""
	for _, w := range words {
		label := naming.Read(w)
		switch {
		case label.Denies(name):
		case said == "" && label.Related(name):
			said = w
		default:
			return v, t, false
		}
	}
	return cell.View{Kind: scoring.KindBool, Format: cell.TrueWhere(said)}, t, said != ""
}
