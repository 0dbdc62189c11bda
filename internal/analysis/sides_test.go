package analysis

import (
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

func TestSides(t *testing.T) {
	long := "x\n\x1b[2J" + strings.Repeat("long", 800)
	nights := func(agent, version string, ids ...string) (out []Batch) {
		for _, id := range ids {
			out = append(out, Batch{By: scoring.By{Agent: agent, Version: version, Batch: id}})
		}
		return out
	}
	ids := func(side []Batch) string {
		var out []string
		for _, b := range side {
			out = append(out, strings.TrimSpace(b.Agent+" "+b.Version+" "+b.Batch+b.Origin))
		}
		return strings.Join(out, ", ")
	}
	two := append(nights("nova", "1", "mon", "tue"), nights("nova", "2", "wed")...)
	files := []Batch{{By: scoring.By{Agent: "a", Batch: "mon"}, Origin: "x.jsonl"}, {By: scoring.By{Agent: "b", Batch: "mon"}, Origin: "y.jsonl"}, {By: scoring.By{Agent: "b", Batch: "tue"}, Origin: "y.jsonl"}}
	for _, tc := range []struct {
		why      string
		batches  []Batch
		named    Named
		from, to string
		err      string
	}{
		{"the last and the first of its version", nights("nova", "1", "mon", "tue", "wed"), Named{}, "nova 1 mon", "nova 1 wed", ""},
		{"the last and the accepted", nights("nova", "1", "mon", "tue", "wed"), Named{Accepted: accept("nova", "1", "tue")}, "nova 1 tue", "nova 1 wed", ""},
		{"a version and the one before", two, Named{}, "nova 1 mon", "nova 2 wed", ""},
		{"the last night of a version", two, Named{From: "1", To: "2"}, "nova 1 tue", "nova 2 wed", ""},
		{"the last night of a version and its baseline", two, Named{To: "nova@1"}, "nova 1 mon", "nova 1 tue", ""},
		{"a night of the last version of one name", two, Named{To: "nova@1", ToBatch: "tue"}, "nova 1 mon", "nova 1 tue", ""},
		{"a later night with an earlier one", two, Named{From: "1", ToBatch: "mon"}, "nova 1 tue", "nova 1 mon", ""},
		{"an agent and a version", two, Named{From: "nova@1", FromBatch: "mon", To: "nova@2"}, "nova 1 mon", "nova 2 wed", ""},
		{"only what is compared with", two, Named{FromBatch: "mon"}, "nova 1 mon", "nova 2 wed", ""},
		{"an agent without a name", append(nights("", "", "mon"), nights("nova", "1", "tue")...), Named{From: scoring.Unnamed}, "mon", "nova 1 tue", ""},
		{"a file each", files, Named{FromOrigin: "x.jsonl", ToOrigin: "y.jsonl"}, "a  monx.jsonl", "b  mony.jsonl, b  tuey.jsonl", ""},
		{"names win over files", files, Named{FromOrigin: "x.jsonl", ToOrigin: "y.jsonl", From: "b", FromBatch: "mon", To: "a"}, "b  mony.jsonl", "a  monx.jsonl", ""},
		{"files that need not be told apart", two, Named{FromOrigin: "x.jsonl", ToOrigin: "y.jsonl"}, "nova 1 mon", "nova 2 wed", ""},

		{"nothing", nil, Named{}, "", "", "there are no scores to compare"},
		{"nothing before", nights("nova", "1", "mon"), Named{}, "", "", `no complete batch of agent "nova" precedes nova 1, batch mon; name a side with --from`},
		{"nobody", two, Named{To: "zeus"}, "", "", `--to: no scores of "zeus"; there are nova@1 batch mon, nova@1 batch tue, nova@2 batch wed`},
		{"several", two, Named{From: "nova", To: "2"}, "", "", `--from: "nova" names 2 agents and versions, expected one`},
		{"itself", two, Named{FromBatch: "mon", ToBatch: "mon"}, "", "", "--from and --to: nova 1, batch mon is on both sides, expected two that differ"},
		{"a name from data", nights(long, "1", "mon"), Named{To: "zeus"}, "", "", `there are x\n\x1b[2Jlonglong`},
		{"a name from data, before", nights(long, "1", "mon"), Named{}, "", "", `precedes x\n\x1b[2Jlonglong`},
		{"a name from data, twice", nights(long, "1", "mon"), Named{FromBatch: "mon", ToBatch: "mon"}, "", "", `--from and --to: x\n\x1b[2Jlonglong`},
	} {
		from, to, err := tc.named.Sides(tc.batches)
		if tc.err != "" {
			if !errcode.IsUsage(err) || !strings.Contains(err.Error(), tc.err) || len(err.Error()) > 500 || strings.Contains(err.Error(), "\x1b") {
				t.Errorf("%s: %v, want %s", tc.why, err, tc.err)
			}
			continue
		}
		if err != nil || ids(from) != tc.from || ids(to) != tc.to {
			t.Errorf("%s: %s and %s (%v), want %s and %s", tc.why, ids(from), ids(to), err, tc.from, tc.to)
		}
	}
}
