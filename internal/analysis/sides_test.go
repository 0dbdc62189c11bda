package analysis

import (
	"slices"
	"strings"
	"testing"
	"time"

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
	in := func(file int, batches ...Batch) []Batch { // as a source of score files yields them, sorted by name
		for i := range batches {
			batches[i].File = file
		}
		return batches
	}
	join := func(lists ...[]Batch) []Batch {
		all := slices.Concat(lists...)
		Sort(all)
		return all
	}
	files := []Batch{{By: scoring.By{Agent: "a", Batch: "mon"}, Origin: "x.jsonl", File: 1}, {By: scoring.By{Agent: "b", Batch: "mon"}, Origin: "y.jsonl", File: 2}, {By: scoring.By{Agent: "b", Batch: "tue"}, Origin: "y.jsonl", File: 2}}
	late := in(1, nights("nova", "1", "main")...)
	late[0].At = time.Unix(9, 0)
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
		{"a file each", files, Named{TwoFiles: true}, "a  monx.jsonl", "b  mony.jsonl, b  tuey.jsonl", ""},
		{"names win over files", files, Named{TwoFiles: true, From: "b", FromBatch: "mon", To: "a"}, "b  mony.jsonl", "a  monx.jsonl", ""},
		{"a batch wins over files", files, Named{TwoFiles: true, ToBatch: "tue"}, "b  mony.jsonl", "b  tuey.jsonl", ""},
		{"the first file is the baseline, although its batch has the later name", join(in(1, nights("nova", "1", "main")...), in(2, nights("nova", "1", "a1b2")...)),
			Named{TwoFiles: true}, "nova 1 main", "nova 1 a1b2", ""},
		{"and the later version", join(in(1, nights("nova", "v1.10", "")...), in(2, nights("nova", "v1.9", "")...)), Named{TwoFiles: true}, "nova v1.10", "nova v1.9", ""},
		{"and the later date", join(late, in(2, nights("nova", "1", "pr")...)), Named{TwoFiles: true}, "nova 1 main", "nova 1 pr", ""},
		{"some batches are in both files", join([]Batch{{By: scoring.By{Agent: "a", Batch: "1"}, File: 1}, {By: scoring.By{Agent: "a", Batch: "2"}, Origin: "x", File: 1}, {By: scoring.By{Agent: "a", Batch: "2"}, Origin: "y", File: 2}}),
			Named{TwoFiles: true}, "a  1, a  2x", "a  2y", ""},
		{"of three files the last", join(in(1, nights("nova", "1", "main")...), in(2, nights("nova", "1", "c")...), in(3, nights("nova", "1", "b")...)), Named{}, "nova 1 main", "nova 1 b", ""},

		{"an empty file", in(2, nights("nova", "1", "mon", "tue")...), Named{TwoFiles: true}, "", "", "--scores: the first file has no scores, so there is nothing to compare"},
		{"an empty second file", in(1, nights("nova", "1", "mon", "tue")...), Named{TwoFiles: true}, "", "", "--scores: the second file has no scores"},
		{"two versions in a file", join(in(1, nights("nova", "1", "mon")...), in(2, two...)), Named{TwoFiles: true}, "", "", "--scores: the second file has scores of nova 1 and of nova 2, expected one agent and version; choose the sides with --from and --to"},
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
