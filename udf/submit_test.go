package udf

import "testing"

// A row that was kept and cannot be read leaves the rows after it where they are.
func TestKeptArgumentsThatCannotBeRead(t *testing.T) {
	fn := &Function{Name: "f", Params: []Param{{Name: "a", Type: VARCHAR}, {Name: "n", Type: BIGINT}, {Name: "b", Type: VARCHAR}}}
	in := &Batch{}
	in.Reset(fn, len(fn.Params))
	for _, tc := range []struct {
		kept string
		ok   bool
	}{
		{`["first", "1", "x"]`, true}, {`["bad", "no number", "y"]`, false}, {`no JSON`, false}, {`["a", "1", "b", "one more"]`, false}, {`["last", "2", null]`, true},
	} {
		if err := readArguments(fn, in, []byte(tc.kept)); (err == nil) != tc.ok {
			t.Errorf("%s: %v", tc.kept, err)
		}
	}
	if in.Rows != 3 {
		t.Fatalf("%d rows, want 3: two that can be read, and one with a value that cannot", in.Rows)
	}
	for k := range in.Args {
		if n := len(in.Args[k].Nulls); n != 3 {
			t.Errorf("argument %d has %d values, want 3", k, n)
		}
	}
	if in.Text(0, 2) != "last" || in.Args[1].Ints[2] != 2 || !in.IsNull(2, 2) {
		t.Errorf("the last row is %q %d", in.Text(0, 2), in.Args[1].Ints[2])
	}
}
