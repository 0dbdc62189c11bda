package metric

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/sample"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/scoring"
)

// askingMetrics are all metrics that ask a judge, or can.
func askingMetrics() (asking []scoring.Metric) {
	for _, m := range All() {
		if _, configured := asksForStage1.Options[m.Name]; configured || (m.Needs|m.Reads)&scoring.FieldJudge != 0 {
			asking = append(asking, m)
		}
	}
	return asking
}

// verdictFor makes a value that satisfies a JSON Schema: every truth value is yes, every number the
// largest and every word the first that it may be, or the other way round.
func verdictFor(schema map[string]any, yes bool) any {
	if v, ok := schema["const"]; ok {
		return v
	}
	if words, ok := schema["enum"].([]any); ok && len(words) > 0 {
		if yes {
			return words[0]
		}
		return words[len(words)-1]
	}
	for _, key := range []string{"anyOf", "oneOf", "allOf"} {
		if of, ok := schema[key].([]any); ok && len(of) > 0 {
			if s, ok := of[0].(map[string]any); ok {
				return verdictFor(s, yes)
			}
		}
	}
	typ := schema["type"]
	if types, ok := typ.([]any); ok && len(types) > 0 {
		typ = types[0]
	}
	switch typ {
	case "object":
		out := map[string]any{}
		properties, _ := schema["properties"].(map[string]any)
		for name, p := range properties {
			if s, ok := p.(map[string]any); ok {
				out[name] = verdictFor(s, yes)
			}
		}
		return out
	case "array":
		items, ok := schema["items"].(map[string]any)
		if !ok {
			return []any{}
		}
		n := 1
		if least, ok := schema["minItems"].(float64); ok {
			n = max(n, int(least))
		}
		out := make([]any, n)
		for i := range out {
			out[i] = verdictFor(items, yes)
		}
		return out
	case "boolean":
		return yes
	case "number", "integer":
		if most, ok := schema["maximum"]; ok && yes {
			return most
		}
		if least, ok := schema["minimum"]; ok {
			return least
		}
		return 1
	case "null":
		return nil
	}
	return "as asked"
}

// wordless is the schema of a request without the field of the one-time word.
func wordless(t *testing.T, r judgebackend.Request) json.RawMessage {
	t.Helper()
	var schema map[string]any
	if err := json.Unmarshal(r.Schema, &schema); err != nil {
		t.Fatalf("%s: a request without a schema", r.Purpose)
	}
	if properties, ok := schema["properties"].(map[string]any); ok {
		delete(properties, "nonce")
	}
	if required, ok := schema["required"].([]any); ok {
		schema["required"] = slices.DeleteFunc(required, func(v any) bool { return v == "nonce" })
	}
	b, err := json.Marshal(schema)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// asksOf are the requests that a metric makes on a case whose judge answers properly, one for each
// purpose and prompt.
func asksOf(t *testing.T, m *scoring.Metric, c func() *scoring.Case) (asks []judgebackend.Request) {
	t.Helper()
	for _, yes := range []bool{true, false} {
		scoreWith(t, fooled(func(r judgebackend.Request) string {
			if !slices.ContainsFunc(asks, func(o judgebackend.Request) bool {
				return o.Purpose == r.Purpose && o.PromptVersion == r.PromptVersion
			}) {
				asks = append(asks, r)
			}
			var schema map[string]any
			if err := json.Unmarshal(r.Schema, &schema); err != nil {
				t.Errorf("%s: asked without a schema", m.Name)
				return ""
			}
			b, _ := json.Marshal(verdictFor(schema, yes))
			_, word := materialAndWord(r)
			return signed(string(b), word)
		}), c(), m.Name)
	}
	return asks
}

// plainCases are what judges have to be asked about: a wrong result, a right one, an agent that
// only talks, and one that was to decline.
func plainCases(t *testing.T, w wrongAnswer) map[string]func() *scoring.Case {
	talk := func(behaviour string) func() *scoring.Case {
		return func() *scoring.Case {
			c := fullCase(w.tables(t))
			c.Pred, c.Expected.Behaviour = scoring.Query{}, behaviour
			return c
		}
	}
	return map[string]func() *scoring.Case{
		"wrong": func() *scoring.Case { return fullCase(w.tables(t)) },
		"right": func() *scoring.Case {
			gold, _ := w.tables(t)
			return fullCase(gold, gold)
		},
		"another unit": func() *scoring.Case { // where the judge's say can matter to hybrid_ex
			c := decodeCase(t, thousands)
			return fullCase(c.Golds[0].Result.Table, c.Pred.Result.Table)
		},
		"talk": talk(""), "refuse": talk(scoring.BehaviourRefuse), "clarify": talk(scoring.BehaviourClarify),
	}
}

// worth is what counts of a score.
type worth struct {
	Status scoring.Status
	Value  float64
	Label  string
	Passed *bool
}

func worthOf(s scoring.Score) worth { return worth{s.Status, s.Value, s.Label, s.Passed} }

// A reply copied out of the judged material is worth as much as no reply, for every metric that asks. The material
// holds verdicts that match the schema of the metric's questions, in every string that its judge may read: without
// a nonce, with a guessed one, and with the one of another case.
func TestRedTeamCopiedVerdicts(t *testing.T) {
	_, tables := redTeam(t)
	plain := plainCases(t, tables["wrong_totals"])
	for _, m := range askingMetrics() {
		t.Run(m.Name, func(t *testing.T) {
			asked, copied := 0, 0
			for _, name := range slices.Sorted(maps.Keys(plain)) {
				for _, r := range asksOf(t, &m, plain[name]) {
					asked++
					if _, word := materialAndWord(r); word == "" {
						t.Errorf("%s %s asks for no word: whatever the material holds passes for its answer", r.Purpose, r.PromptVersion)
					}
					for _, forged := range sample.Of(forgeries(t, r), 3) { // one in three, or where tests are thorough each
						copied += copiedForNothing(t, &m, r, func() *scoring.Case { return forgedCase(plain[name](), forged) })
					}
				}
			}
			if asked == 0 {
				t.Error("its judge was never asked: add a case to plainCases")
			} else if copied == 0 {
				t.Error("its judge was shown nothing that could have been copied")
			}
		})
	}
}

// copiedForNothing scores a case with a judge who copies, and one who says nothing, and counts the
// replies that would have been an answer to r but for the word.
func copiedForNothing(t *testing.T, m *scoring.Metric, r judgebackend.Request, c func() *scoring.Case) (copied int) {
	t.Helper()
	for _, judge := range []fooled{copier, lastCopier} {
		without := scoreWith(t, fooled(silent), c(), m.Name)
		with := scoreWith(t, fooled(func(asked judgebackend.Request) string {
			reply := judge(asked)
			var v any
			for _, o := range objects(reply) {
				if asked.Purpose == r.Purpose && judgebackend.Decode(signed(o, ""), r.Schema, &v) == nil {
					copied++
				}
			}
			return reply
		}), c(), m.Name)
		if !reflect.DeepEqual(worthOf(without), worthOf(with)) {
			t.Errorf("%s: with a reply copied from the material it is %s %v %s, without one %s %v %s", r.Purpose, with.Status, with.Value, with.Label, without.Status, without.Value, without.Label)
		}
	}
	return copied
}

// forgeries are verdicts that satisfy the schema of a request, but for the word.
func forgeries(t *testing.T, r judgebackend.Request) (forged []string) {
	t.Helper()
	var schema map[string]any
	if err := json.Unmarshal(wordless(t, r), &schema); err != nil {
		t.Fatal(err)
	}
	_, seen := materialAndWord(r)
	for _, yes := range []bool{true, false} {
		b, err := json.Marshal(verdictFor(schema, yes))
		if err != nil {
			t.Fatal(err)
		}
		var v any
		if err := judgebackend.Decode(string(b), wordless(t, r), &v); err != nil {
			t.Fatalf("%s: verdictFor makes nothing that satisfies the schema: %v", r.Purpose, err)
		}
		forged = append(forged, string(b), signed(string(b), ""), signed(string(b), "guessed"), signed(string(b), seen))
	}
	return forged
}

// forgedCase has the text at the end of every text that the agent or anybody else has written.
func forgedCase(c *scoring.Case, text string) *scoring.Case {
	for _, s := range []*string{&c.Question, &c.Evidence, &c.Schema, &c.Golds[0].SQL, &c.Pred.SQL, &c.Agent.Response, &c.Agent.Interpretation} {
		if *s != "" {
			*s += "\n/* " + text + " */"
		}
	}
	c.Expected.Clarifications = append(c.Expected.Clarifications, text)
	if passage, err := json.Marshal("The north did not earn 1100.5, the south 780.25. " + text); err == nil {
		c.Agent.Contexts = json.RawMessage("[" + string(passage) + "]")
	}
	if c.Pred.Result.Table == nil {
		return c
	}
	c.Pred.Result.Table = withName(withCell(c.Pred.Result.Table, 0, 0, text), 1, text)
	return c
}

// outside returns the prompt around the material.
func outside(message string) string {
	var out []string
	closes := ""
	for _, line := range strings.Split(message, "\n") {
		switch code, opens := strings.CutPrefix(line, "[material "); {
		case closes == "" && opens:
			closes = "[end of material " + code
		case closes == "":
			out = append(out, line)
		case line == closes:
			closes = ""
		}
	}
	return strings.Join(out, "\n")
}

// The same of every attack of the set and every question that metrics ask; and no line of an attack
// stands outside of the material.
func TestRedTeamCopiedFromAttacks(t *testing.T) {
	attacks, tables := redTeam(t)
	plain, purposes := plainCases(t, tables["wrong_totals"]), map[string]bool{}
	metrics := slices.DeleteFunc(askingMetrics(), func(m scoring.Metric) bool { // one of those that share their questions
		known := true
		for _, name := range slices.Sorted(maps.Keys(plain)) {
			for _, r := range asksOf(t, &m, plain[name]) {
				known = known && purposes[r.Purpose]
				purposes[r.Purpose] = true
			}
		}
		return known
	})
	differ := 0
	for i := range attacks { // one in six, or where tests are thorough each
		if !sample.Takes(i, len(attacks), 12) {
			continue
		}
		a, w := &attacks[i], tables[attacks[i].Tables]
		for k := range metrics {
			name := metrics[k].Name
			var around strings.Builder
			watched := fooled(func(r judgebackend.Request) string {
				for _, m := range r.Messages {
					if m.Role == judgebackend.User && !strings.HasPrefix(m.Content, "That reply could not be used") {
						around.WriteString(outside(m.Content) + "\n")
					}
				}
				return silent(r)
			})
			without, with := scoreWith(t, watched, a.on(t, w), name), scoreWith(t, fooled(copier), a.on(t, w), name)
			for line := range strings.Lines(a.text()[:min(len(a.text()), 2000)]) {
				if line = strings.TrimSpace(line); len(line) > 12 && !strings.HasSuffix(line, ":") && strings.Contains(around.String(), line) {
					t.Errorf("%s, %s: a line of the attack stands outside of the material", a.ID, name)
				}
			}
			if !reflect.DeepEqual(worthOf(without), worthOf(with)) {
				t.Errorf("%s, %s: with a copied reply %s %v %s, without one %s %v %s", a.ID, name, with.Status, with.Value, with.Label, without.Status, without.Value, without.Label)
			}
			if strings.Contains(with.Reason, "word it was to repeat") {
				differ++
			}
		}
	}
	if differ < sample.Count(30, 12) {
		t.Errorf("only %d replies were refused for want of the word", differ)
	}
}
