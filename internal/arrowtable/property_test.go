package arrowtable_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/float16"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/badger-eval/badger/internal/arrowtable"
	"github.com/badger-eval/badger/scoring"
)

// 32-bit floats must become what the standard library's shortest text of them reads as.
func TestFloat32BecomesItsShortestDecimal(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	mem := checked(t)
	b := array.NewFloat32Builder(mem)
	defer b.Release()
	var want []float64
	add := func(f float32) {
		b.Append(f)
		d, _ := strconv.ParseFloat(strconv.FormatFloat(float64(f), 'g', -1, 32), 64)
		want = append(want, d)
	}
	for range 400_000 {
		add(math.Float32frombits(r.Uint32()))
		add(float32(r.NormFloat64() * 1000))
		add(float32(math.Round(r.Float64()*1e6)) / 100)
		add(float32(r.IntN(1<<25)) / 8) // ties between two decimals
	}
	got, err := read(t, arrow.Field{Name: "c", Type: b.Type()}, arrowtable.Limits{}, b.NewArray())
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range got.Columns[0].Floats() {
		if v != want[i] && !(math.IsNaN(v) && math.IsNaN(want[i])) {
			t.Fatalf("value %d: %v, the standard library says %v", i, v, want[i])
		}
	}
}

// Every 16-bit float must read back as itself, with the fewest digits that do.
func TestFloat16BecomesItsShortestDecimal(t *testing.T) {
	mem := checked(t)
	b := array.NewFloat16Builder(mem)
	defer b.Release()
	var nums []float16.Num
	for bits := range 1 << 16 {
		n := float16.FromBits(uint16(bits)) //nolint:gosec // in range
		f := float64(n.Float32())
		if math.IsNaN(f) || math.IsInf(f, 0) || f == math.Trunc(f) {
			continue
		}
		nums = append(nums, n)
		b.Append(n)
	}
	got, err := read(t, arrow.Field{Name: "c", Type: b.Type()}, arrowtable.Limits{}, b.NewArray())
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range got.Columns[0].Floats() {
		f := float64(nums[i].Float32())
		_, exp := math.Frexp(f)
		half := math.Ldexp(1, max(exp-11, -24)-1)
		if math.Abs(v-f) >= half {
			t.Fatalf("%v became %v, which is another 16-bit float", f, v)
		}
		digits := len(strconv.FormatFloat(v, 'e', -1, 64))
		for d := range 5 {
			s := strconv.FormatFloat(f, 'e', d, 64)
			if w, _ := strconv.ParseFloat(s, 64); math.Abs(w-f) < half && len(strconv.FormatFloat(w, 'e', -1, 64)) < digits {
				t.Fatalf("%v became %v, but %s is shorter", f, v, s)
			}
		}
	}
}

func randomValue(r *rand.Rand, kind scoring.Type) scoring.Value {
	n := int64(r.Uint64() >> r.IntN(64)) //nolint:gosec // any
	switch kind {
	case scoring.Bool:
		return scoring.BoolValue(n&1 == 1)
	case scoring.Float64:
		return scoring.FloatValue([]float64{math.Inf(1), math.NaN(), r.NormFloat64(), 0, 5e-324}[r.IntN(5)])
	case scoring.Decimal:
		wide := new(big.Int).Exp(big.NewInt(n), big.NewInt(int64(1+r.IntN(6))), nil)
		return scoring.BigDecimalValue(wide, int32(r.IntN(12))) //nolint:gosec // small
	case scoring.Date:
		return scoring.DateValue(int64(int32(n))) //nolint:gosec // wanted
	case scoring.Time:
		return scoring.TimeValue(r.Int64N(86400e9))
	case scoring.Timestamp, scoring.TimestampTZ:
		nanos := r.Int32N(1e9)
		return scoring.TimestampValue(kind, r.Int64N(8e9)-4e9, []int32{0, nanos / 1000 * 1000, nanos}[r.IntN(3)])
	case scoring.String, scoring.Bytes, scoring.JSON:
		return scoring.TextValue(kind, []string{"", "a", `"añ😀\u0000"`, "longer than twelve bytes \x00"}[r.IntN(4)])
	}
	return scoring.IntValue(n)
}

func randomTable(r *rand.Rand, rows int) *scoring.Table {
	kinds := []scoring.Type{scoring.Null, scoring.Bool, scoring.Int64, scoring.Float64, scoring.Decimal, scoring.String, scoring.Bytes, scoring.Date, scoring.Time, scoring.Timestamp, scoring.TimestampTZ, scoring.JSON}
	cols := make([]scoring.Column, 1+r.IntN(6))
	for i := range cols {
		kind := kinds[r.IntN(len(kinds))]
		b := scoring.NewBuilder([]string{"", "a", "a", "ü"}[r.IntN(4)], kind, 0)
		nulls := r.IntN(3)
		for range rows {
			if kind == scoring.Null || r.IntN(4) < nulls {
				b.AppendNull()
			} else {
				b.Append(randomValue(r, kind))
			}
		}
		cols[i] = b.Column()
	}
	t, _ := scoring.NewTable(cols...)
	return t
}

// What is written to Arrow, in batches of any size, is read back as it was.
func TestTablesComeBackAsTheyWere(t *testing.T) {
	for seed := range uint64(800) {
		r := rand.New(rand.NewPCG(seed, 7))
		table := randomTable(r, r.IntN(300))
		reader, err := arrowtable.NewReader(checked(t), table, 1+r.IntN(200))
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		got, err := arrowtable.Read(reader, arrowtable.Limits{})
		reader.Release()
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		sameTable(t, seed, got, table)
	}
}

func sameTable(t *testing.T, seed uint64, got, want *scoring.Table) {
	t.Helper()
	if got.Rows() != want.Rows() || len(got.Columns) != len(want.Columns) {
		t.Fatalf("seed %d: %d x %d, want %d x %d", seed, got.Rows(), len(got.Columns), want.Rows(), len(want.Columns))
	}
	for c := range want.Columns {
		g, w := &got.Columns[c], &want.Columns[c]
		if g.Type != w.Type || g.Name != w.Name {
			t.Fatalf("seed %d, column %d: %q %v, want %q %v", seed, c, g.Name, g.Type, w.Name, w.Type)
		}
		for i := range want.Rows() {
			if a, b := g.Value(i), w.Value(i); a.Type != b.Type || a.String() != b.String() {
				t.Fatalf("seed %d, column %d, row %d: %v %v, want %v %v", seed, c, i, a.Type, a, b.Type, b)
			}
		}
	}
}

// A slice of an array must give what its values give one by one, whichever path copies it.
func TestSlicesGiveTheirOwnValues(t *testing.T) {
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 9))
		rows := 1 + r.IntN(300)
		table := randomTable(r, rows)
		rec, err := arrowtable.Record(checked(t), table)
		if err != nil {
			t.Fatal(err)
		}
		start := r.IntN(rows)
		end := start + r.IntN(rows-start+1)
		slice := rec.NewSlice(int64(start), int64(end))
		got, err := arrowtable.FromRecord(slice)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for c := range table.Columns {
			for i := range end - start {
				a, b := got.Columns[c].Value(i), table.Columns[c].Value(start+i)
				if a.Type != b.Type || a.String() != b.String() {
					t.Fatalf("seed %d, column %d, row %d: %v, want %v", seed, c, i, a, b)
				}
				single, err := arrowtable.Value(slice.Column(c), i)
				if err != nil || single.String() != b.String() {
					if b.Type != scoring.JSON && table.Columns[c].Type != scoring.Decimal {
						t.Fatalf("seed %d, column %d, row %d: Value says %v, want %v", seed, c, i, single, b)
					}
				}
			}
		}
		slice.Release()
		rec.Release()
	}
}

// A column of several types is written as text: no warehouse has a type for it.
func TestMixedColumnsAreWrittenAsText(t *testing.T) {
	b := scoring.NewBuilder("c", scoring.Null, 0)
	b.Append(scoring.IntValue(1))
	b.Append(scoring.StringValue("x"))
	b.AppendNull()
	table, _ := scoring.NewTable(b.Column())
	rec, err := arrowtable.Record(checked(t), table)
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Release()
	got, err := arrowtable.FromRecord(rec)
	if err != nil || texts(got, 0) != "1|x|NULL" || got.Columns[0].Type != scoring.String {
		t.Errorf("%v, %v", got, err)
	}
}

func TestWhatArrowCannotHoldIsAnError(t *testing.T) {
	for _, v := range []scoring.Value{scoring.DateValue(math.MaxInt64), scoring.TimestampValue(scoring.Timestamp, 1<<40, 1)} {
		b := scoring.NewBuilder("c", scoring.Null, 0)
		b.Append(v)
		table, _ := scoring.NewTable(b.Column())
		if rec, err := arrowtable.Record(checked(t), table); err == nil {
			rec.Release()
			t.Errorf("%v was written, though Arrow has no room for it", v.Type)
		}
	}
}

func BenchmarkRead(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	const rows = 1 << 16
	for _, kind := range []scoring.Type{scoring.Int64, scoring.Float64, scoring.String, scoring.Timestamp, scoring.Decimal} {
		for _, nulls := range []bool{false, true} {
			name := kind.String()
			if nulls {
				name += "+nulls"
			}
			col := scoring.NewBuilder("c", kind, rows)
			for i := range rows {
				switch {
				case nulls && i%5 == 0:
					col.AppendNull()
				case kind == scoring.Decimal:
					col.Append(scoring.DecimalValue(r.Int64(), 2))
				case kind == scoring.Float64:
					col.Append(scoring.FloatValue(r.NormFloat64()))
				default:
					col.Append(randomValue(r, kind))
				}
			}
			table, _ := scoring.NewTable(col.Column())
			rec, err := arrowtable.Record(memory.NewGoAllocator(), table)
			if err != nil {
				b.Fatal(err)
			}
			b.Run(name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := arrowtable.FromRecord(rec); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(rows)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mrows/s")
			})
		}
	}
}
