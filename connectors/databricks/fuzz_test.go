package databricks

import (
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/memory"
)

// Whatever a cell holds, there is an array or an error, and no memory is kept.
func FuzzCell(f *testing.F) {
	for _, s := range []string{"DECIMAL(38,10)|1.5e3", "DECIMAL(4,2)|-0.01", "TIMESTAMP|2024-02-29T23:59:59.999999Z", "DATE|0001-01-01", "BINARY|AP8=", "STRUCT<a:INT>|{}", "BIGINT|9223372036854775808", "INTERVAL DAY|1 2", "VOID|", "DECIMAL(|1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		kind, cell, _ := strings.Cut(s, "|")
		c := column{name: "a"}
		c.setType(kind)
		mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
		arr, err := c.parse(mem, 2, func(row int) (string, bool) { return cell, row == 0 })
		if err == nil {
			if arr.Len() != 2 || c.sql != "VOID" && arr.IsValid(1) {
				t.Errorf("%d values, the second valid", arr.Len())
			}
			arr.Release()
		}
		mem.AssertSize(t, 0)
	})
}

// A statement that is taken for one that only reads holds no word of one that writes at its
// beginning, whatever is in quotes and comments.
func FuzzReads(f *testing.F) {
	for _, s := range []string{"SELECT 1", "WITH a AS (SELECT 'x') INSERT INTO t SELECT 1", "/* */ -- \n FROM t INSERT", "`", "'\\'' DELETE", "(((", "SELECT \"a\\\"\" -- x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if reads(s) && !reads("/* INSERT */ "+s) {
			t.Error("a comment changes the meaning")
		}
		if reads("INSERT INTO t " + s) {
			t.Error("INSERT is said to read")
		}
		changesSession(s)
	})
}

func TestScaled(t *testing.T) {
	for _, tc := range []struct {
		text  string
		scale int32
		want  string
		ok    bool
	}{
		{"1.25", 2, "125", true}, {"-1.25", 4, "-12500", true}, {"1.2500", 2, "125", true}, {"1.255", 2, "", false}, {"1E3", 2, "100000", true}, {"1.5E-1", 2, "15", true},
		{"-0.00000000000000000000000000000000000001", 38, "-1", true}, {"99999999999999999999999999999999999999", 0, "99999999999999999999999999999999999999", true},
		{"", 0, "", false}, {"x", 0, "", false}, {"1e99999", 0, "", false}, {"NaN", 0, "", false}, {"0E-10", 2, "0", true}, {"+5", 0, "5", true}, {"1_0", 0, "", false}, {".5", 1, "5", true},
	} {
		got, ok := scaled(tc.text, tc.scale)
		if ok != tc.ok || ok && got.BigInt().String() != tc.want {
			t.Errorf("%q at scale %d: %v, %v, want %s, %v", tc.text, tc.scale, got.BigInt(), ok, tc.want, tc.ok)
		}
	}
}
