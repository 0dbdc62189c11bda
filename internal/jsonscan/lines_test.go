package jsonscan_test

import (
	"bytes"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/jsonscan"
)

// Lines of every length around a block are read whole, and of one beyond the limit only its length.
func TestLongLines(t *testing.T) {
	const block, limit = 1 << 20, 5<<20 + 7
	var in strings.Builder
	var want []string
	for i, n := range []int{0, 1, 1 << 16, block - 1, block, block + 1, 3*block + 5, limit, limit + 1, 9 << 20, 2} {
		line := strings.Repeat(string(rune('a'+i)), n)
		in.WriteString(line + "\n")
		want = append(want, line)
	}
	n := 0
	for l, err := range jsonscan.Lines(strings.NewReader(in.String()), limit) {
		if err != nil {
			t.Fatal(err)
		}
		w := want[n]
		if l.Length != len(w) || len(w) <= limit && string(l.Text) != w || len(w) > limit && l.Text != nil {
			t.Errorf("line %d of %d bytes: length %d, %d bytes of text", l.Number, len(w), l.Length, len(l.Text))
		}
		n++
	}
	if n != len(want) {
		t.Errorf("%d lines, want %d", n, len(want))
	}
}

// A line takes its length twice at most, and one beyond the limit the limit once.
func TestMemoryOfLongLines(t *testing.T) {
	const mib = 1 << 20
	for _, tc := range []struct{ length, limit, most int }{{40 * mib, 64 * mib, 84 * mib}, {200 * mib, 16 * mib, 20 * mib}} {
		in := io.MultiReader(io.LimitReader(zeros{}, int64(tc.length)), bytes.NewReader([]byte("\n")))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for l, err := range jsonscan.Lines(in, tc.limit) {
			if err != nil || l.Length != tc.length {
				t.Fatal(l.Length, err)
			}
		}
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > uint64(tc.most) {
			t.Errorf("a line of %d bytes, limit %d: %d bytes were allocated, want at most %d", tc.length, tc.limit, n, tc.most)
		}
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }
