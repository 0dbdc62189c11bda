package caseview

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFieldsOfReplies(t *testing.T) {
	for reply, want := range map[string][]Field{
		`Sure: {"verdict": true, "nonce": "x1", "n": 1.50}`: {{"verdict", "true"}, {"n", "1.50"}},
		`{"claims": [{"claim": "a", "support": null}, "b"], "none": [], "deep": {"in": {"x": {}}}}`: {
			{"claims 1 › claim", "a"}, {"claims 1 › support", "null"}, {"claims 2", "b"}, {"none", "[]"}, {"deep › in › x", "{}"},
		},
		`{}`:             nil,
		`{"a": 1`:        {{"a", "1"}}, // it was cut off
		`{"a": {"b": }}`: nil,
		`no object`:      nil,
	} {
		if d := cmp.Diff(want, fields(reply)); d != "" {
			t.Errorf("%s: %s", reply, d)
		}
	}
}
