package printable

import "testing"

func TestCount(t *testing.T) {
	for _, tc := range []struct {
		n         int
		one, want string
	}{
		{0, "row", "0 rows"}, {1, "row", "1 row"}, {2, "row", "2 rows"}, {1, "more metric", "1 more metric"}, {3, "more metric", "3 more metrics"},
		{2, "batch", "2 batches"}, {1, "batch", "1 batch"}, {2, "query", "2 queries"}, {2, "day", "2 days"}, {0, "class", "0 classes"}, {2, "suffix", "2 suffixes"},
	} {
		if got := Count(tc.n, tc.one); got != tc.want {
			t.Errorf("%d of %q: %q, want %q", tc.n, tc.one, got, tc.want)
		}
		if got := Count(int64(tc.n), tc.one); got != tc.want {
			t.Errorf("%d of %q: %q, want %q", tc.n, tc.one, got, tc.want)
		}
	}
	if got := Verb(1, "agrees", "agree") + Verb(0, "agrees", "agree"); got != "agreesagree" {
		t.Error(got)
	}
}
