package scoring_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// bitmap packs validity as columnar formats do, with some bits before the first.
func bitmap(r *rand.Rand, valid []bool) scoring.Validity {
	v := scoring.Validity{Offset: r.IntN(20)}
	v.Bits = make([]byte, (v.Offset+len(valid)+7)/8)
	for i := range v.Bits {
		v.Bits[i] = byte(r.Uint32())
	}
	for i, ok := range valid {
		p := v.Offset + i
		v.Bits[p>>3] &^= 1 << (p & 7)
		if ok {
			v.Bits[p>>3] |= 1 << (p & 7)
		}
	}
	return v
}

// Whole vectors must give the column that the same values give one by one, whatever the column held
// before.
func TestBulkAppendEqualsAppendingValues(t *testing.T) {
	kinds := []scoring.Type{scoring.Bool, scoring.Int64, scoring.Date, scoring.Time, scoring.Float64, scoring.Decimal, scoring.Timestamp, scoring.TimestampTZ, scoring.String, scoring.Bytes, scoring.JSON}
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 1))
		kind := kinds[r.IntN(len(kinds))]
		start := scoring.Null
		switch r.IntN(3) {
		case 0:
			start = kind
		case 1:
			start = kinds[r.IntN(len(kinds))]
		}
		bulk, single := scoring.NewBuilder("c", start, r.IntN(50)), scoring.NewBuilder("c", start, 0)
		if r.IntN(2) == 0 {
			for range r.IntN(70) {
				bulk.AppendNull()
				single.AppendNull()
			}
		}
		for range 1 + r.IntN(4) {
			appendBoth(t, r, kind, bulk, single)
			if r.IntN(8) == 0 {
				kind = kinds[r.IntN(len(kinds))]
			}
		}
		sameColumn(t, seed, bulk.Column(), single.Column())
	}
}

func appendBoth(t *testing.T, r *rand.Rand, kind scoring.Type, bulk, single *scoring.Builder) {
	t.Helper()
	n := r.IntN(200)
	valid := make([]bool, n)
	for i := range valid {
		valid[i] = r.IntN(5) > 0
	}
	mask := bitmap(r, valid)
	if r.IntN(3) == 0 {
		mask = scoring.Validity{}
	}
	ints, floats, nanos, offsets, text := make([]int64, n), make([]float64, n), make([]int32, n), make([]int32, n+1), []byte(nil)
	before := int32(r.IntN(9)) //nolint:gosec // small
	offsets[0] = before
	for i := range n {
		ints[i], floats[i], nanos[i] = int64(r.Uint64()>>r.IntN(64)), r.NormFloat64(), int32(r.IntN(1e9)) //nolint:gosec // any
		if !mask.IsNull(i) || r.IntN(50) == 0 {                                                           // there may be text behind a NULL
			text = append(text, "añb\x00"[:r.IntN(5)]...)
		}
		offsets[i+1] = before + int32(len(text)) //nolint:gosec // small
	}
	if r.IntN(2) == 0 {
		nanos = nil
	}
	scale := int32(r.IntN(8)) //nolint:gosec // small
	var value func(i int) scoring.Value
	switch kind {
	case scoring.Bool:
		for i := range ints {
			ints[i] &= 1
		}
		bulk.AppendInts(kind, ints, mask)
		value = func(i int) scoring.Value { return scoring.BoolValue(ints[i] == 1) }
	case scoring.Int64:
		bulk.AppendInts(kind, ints, mask)
		value = func(i int) scoring.Value { return scoring.IntValue(ints[i]) }
	case scoring.Date:
		bulk.AppendInts(kind, ints, mask)
		value = func(i int) scoring.Value { return scoring.DateValue(ints[i]) }
	case scoring.Time:
		bulk.AppendInts(kind, ints, mask)
		value = func(i int) scoring.Value { return scoring.TimeValue(ints[i]) }
	case scoring.Float64:
		bulk.AppendFloats(floats, mask)
		value = func(i int) scoring.Value { return scoring.FloatValue(floats[i]) }
	case scoring.Decimal:
		bulk.AppendDecimals(ints, scale, mask)
		value = func(i int) scoring.Value { return scoring.DecimalValue(ints[i], scale) }
	case scoring.Timestamp, scoring.TimestampTZ:
		bulk.AppendTimestamps(kind, ints, nanos, mask)
		value = func(i int) scoring.Value {
			if nanos == nil {
				return scoring.TimestampValue(kind, ints[i], 0)
			}
			return scoring.TimestampValue(kind, ints[i], nanos[i])
		}
	default:
		if err := bulk.AppendTexts(kind, text, offsets, mask); err != nil {
			t.Fatal(err)
		}
		value = func(i int) scoring.Value {
			return scoring.TextValue(kind, string(text[offsets[i]-before:offsets[i+1]-before]))
		}
	}
	for i := range n {
		if mask.IsNull(i) {
			single.AppendNull()
		} else {
			single.Append(value(i))
		}
	}
}

func sameColumn(t *testing.T, seed uint64, got, want scoring.Column) {
	t.Helper()
	if got.Type != want.Type || got.Len() != want.Len() || got.HasNulls() != want.HasNulls() || got.Scale != want.Scale {
		t.Fatalf("seed %d: %v of %d (nulls %v, scale %d), want %v of %d (nulls %v, scale %d)",
			seed, got.Type, got.Len(), got.HasNulls(), got.Scale, want.Type, want.Len(), want.HasNulls(), want.Scale)
	}
	for i := range want.Len() {
		g, w := got.Value(i), want.Value(i)
		if g.Type != w.Type || g.String() != w.String() {
			t.Fatalf("seed %d, value %d: %v %v, want %v %v", seed, i, g.Type, g, w.Type, w)
		}
	}
	if got.Type == scoring.Int64 {
		for i, v := range got.Ints() {
			if got.IsNull(i) && v != 0 {
				t.Fatalf("seed %d: NULL %d holds %d in the vector, want 0", seed, i, v)
			}
		}
	}
}

func TestBulkTextRefusesWrongOffsets(t *testing.T) {
	for _, offsets := range [][]int32{{0, 5}, {2, 1}, {0, 3, 2}, {math.MinInt32, math.MaxInt32}} {
		b := scoring.NewBuilder("c", scoring.Null, 0)
		if err := b.AppendTexts(scoring.String, []byte("abc"), offsets, scoring.Validity{}); errcode.Of(err) != errcode.DataLoss {
			t.Errorf("offsets %v: %v, want data_loss", offsets, err)
		}
	}
}

func TestReadyMadeColumns(t *testing.T) {
	c := scoring.IntColumn("n", scoring.Int64, []int64{7, 0, -1}, []uint64{2})
	if c.Len() != 3 || !c.IsNull(1) || c.IsNull(2) || c.Value(2).Int() != -1 || c.Name != "n" {
		t.Errorf("ints came back as %v %v %v", c.Value(0), c.Value(1), c.Value(2))
	}
	s := scoring.TextColumn("s", scoring.String, []byte("abcd"), []uint32{1, 1, 4}, nil)
	if s.Len() != 3 || s.HasNulls() || s.Text(0) != "a" || s.Text(1) != "" || s.Text(2) != "bcd" {
		t.Errorf("texts came back as %q %q %q", s.Text(0), s.Text(1), s.Text(2))
	}
}

func BenchmarkAppendInts(b *testing.B) {
	values := make([]int64, 1<<16)
	b.ReportAllocs()
	b.SetBytes(8 << 16)
	for b.Loop() {
		c := scoring.NewBuilder("n", scoring.Int64, len(values))
		c.AppendInts(scoring.Int64, values, scoring.Validity{})
	}
}
