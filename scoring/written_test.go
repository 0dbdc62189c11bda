package scoring_test

import (
	"testing"

	"github.com/badger-eval/badger/scoring"
)

// column makes a column of CSV with these numbers.
func written(name string, how scoring.Written, digits int32, values ...float64) *scoring.Table {
	b := scoring.NewBuilder(name, scoring.Float64, len(values))
	for _, v := range values {
		b.AppendFloat(v)
	}
	c := b.Column()
	c.Written, c.Scale = how, digits
	t, err := scoring.NewTable(c)
	if err != nil {
		panic(err)
	}
	return t
}

// The same numbers in two ways of writing are texts, unless something is measured.
func TestAsWritten(t *testing.T) {
	const plain, padded = scoring.WrittenPlain, scoring.WrittenPadded
	for _, tc := range []struct {
		why        string
		gold, pred *scoring.Table
		texts      bool
	}{
		{"versions", written("release", padded, 2, 3.1), written("release", plain, 1, 3.1), true},
		{"the other way round", written("release", plain, 1, 3.1), written("release", padded, 2, 3.1), true},
		{"of no telling name", written("v", padded, 2, 3.1, 4.2), written("x", plain, 1, 4.2, 3.1), true},
		{"a version with many parts is none the less one", written("version", padded, 2, 120.1), written("version", plain, 1, 120.1), true},
		{"written alike", written("release", padded, 2, 3.1), written("release", padded, 2, 3.1), false},
		{"other numbers", written("release", padded, 2, 3.1), written("release", plain, 1, 3.2), false},
		{"a price", written("unit_price", padded, 2, 3.1), written("price", plain, 1, 3.1), false},
		{"measured by one name", written("x", padded, 2, 3.1), written("avgRating", plain, 1, 3.1), false},
		{"a sign", written("v", padded, 2, -3.1), written("v", plain, 1, -3.1), false},
		{"large", written("v", padded, 2, 2630.5), written("v", plain, 1, 2630.5), false},
		{"hundredths", written("v", padded, 2, 3.1, 4.75), written("v", plain, 2, 3.1, 4.75), false},
		{"a zero behind the point", written("v", padded, 2, 3.1, 4.05), written("v", plain, 2, 3.1, 4.05), false},
		{"of no file of text", written("v", padded, 2, 3.1), written("v", scoring.NotWritten, 0, 3.1), false},
	} {
		g, p := scoring.AsWritten(tc.gold, tc.pred)
		if is := g.Columns[0].Type == scoring.String && p.Columns[0].Type == scoring.String; is != tc.texts {
			t.Errorf("%s: texts: %v, want %v", tc.why, is, tc.texts)
		}
		if tc.gold.Columns[0].Type != scoring.Float64 {
			t.Errorf("%s: the table was changed", tc.why)
		}
	}
	g, p := scoring.AsWritten(written("v", padded, 2, 3.1, 12), written("v", plain, 1, 12, 3.1))
	if g.Columns[0].Text(0) != "3.10" || g.Columns[0].Text(1) != "12.00" || p.Columns[0].Text(0) != "12" || p.Columns[0].Text(1) != "3.1" {
		t.Errorf("the texts are %q %q and %q %q", g.Columns[0].Text(0), g.Columns[0].Text(1), p.Columns[0].Text(0), p.Columns[0].Text(1))
	}
}
