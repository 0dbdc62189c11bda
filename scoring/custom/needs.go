package custom

import (
	"slices"
	"strings"

	"go.starlark.net/starlark"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// field is a part of a case that a judge file can list under needs.
type field struct {
	name  string
	needs scoring.Field
	given func(in *scoring.Input) bool // whether the case has it; nil: the engine checks this, or it is never missing
	value func(in *scoring.Input) (starlark.Value, error)
}

func textField(needs scoring.Field, text func(in *scoring.Input) string) field {
	return field{
		name: nameOf(needs), needs: needs,
		given: func(in *scoring.Input) bool { return strings.TrimSpace(text(in)) != "" },
		value: func(in *scoring.Input) (starlark.Value, error) { return starlark.String(text(in)), nil },
	}
}

func tableField(needs scoring.Field, query func(in *scoring.Input) *scoring.Query) field {
	t := func(in *scoring.Input) *scoring.Table {
		if q := query(in); q != nil {
			return q.Result.Table
		}
		return nil
	}
	return field{
		name: nameOf(needs), needs: needs,
		given: func(in *scoring.Input) bool { return t(in) != nil },
		value: func(in *scoring.Input) (starlark.Value, error) {
			if t := t(in); t != nil {
				return newTable(t), nil
			}
			return starlark.None, nil
		},
	}
}

// nameOf returns the name of a field in judge files.
func nameOf(f scoring.Field) string {
	all := scoring.Fields()
	return all[slices.IndexFunc(all, func(i scoring.FieldInfo) bool { return i.Field == f })].Name
}

func gold(in *scoring.Input) *scoring.Query { return in.Gold }
func pred(in *scoring.Input) *scoring.Query { return in.Pred }

func goldSQL(in *scoring.Input) string {
	if in.Gold == nil {
		return ""
	}
	return in.Gold.SQL
}

// fields are the fields that judge files can list. Those with their own argument in SQL functions come first. If a
// judge lists another one, its SQL function takes the whole case as an argument.
var fields = []field{
	textField(scoring.FieldQuestion, func(in *scoring.Input) string { return in.Case.Question }),
	textField(scoring.FieldInterpretation, func(in *scoring.Input) string { return in.Case.Agent.Interpretation }),
	textField(scoring.FieldResponse, func(in *scoring.Input) string { return in.Case.Agent.Response }),
	textField(scoring.FieldGoldSQL, goldSQL),
	textField(scoring.FieldPredSQL, func(in *scoring.Input) string { return in.Pred.SQL }),
	tableField(scoring.FieldGoldResult, gold),
	tableField(scoring.FieldPredResult, pred),
	textField(scoring.FieldSchema, func(in *scoring.Input) string { return in.Case.Schema }),
	{name: nameOf(scoring.FieldExecution), needs: scoring.FieldExecution,
		value: func(in *scoring.Input) (starlark.Value, error) { return starlark.String(in.Pred.Error), nil }},

	textField(scoring.FieldEvidence, func(in *scoring.Input) string { return in.Case.Evidence }),
	inCase(textField(scoring.FieldDialect, func(in *scoring.Input) string { return in.Case.Dialect })),
	{name: "case_id", needs: scoring.FieldCase,
		value: func(in *scoring.Input) (starlark.Value, error) { return starlark.String(in.Case.ID), nil }},
	{name: "tags", needs: scoring.FieldCase,
		value: func(in *scoring.Input) (starlark.Value, error) { return textList(in.Case.Tags), in.Case.TagsErr }},
	{name: "tool_calls", needs: scoring.FieldCase, value: toolCalls},
	{name: "earlier_turns", needs: scoring.FieldCase, value: earlierTurns},
	{name: "expected", needs: scoring.FieldCase, value: expectedRecord},
}

// inCase returns the field f with a need of the whole case, since it has no argument in SQL functions.
func inCase(f field) field {
	f.needs = scoring.FieldCase
	return f
}

func fieldNames() []string {
	names := make([]string, len(fields))
	for i := range fields {
		names[i] = fields[i].name
	}
	return names
}

func textList(list []string) starlark.Value {
	out := make([]starlark.Value, len(list))
	for i, s := range list {
		out[i] = starlark.String(s)
	}
	return starlark.NewList(out)
}

func toolCalls(in *scoring.Input) (starlark.Value, error) {
	out := make([]starlark.Value, len(in.Case.Agent.ToolCalls))
	for i, c := range in.Case.Agent.ToolCalls {
		d := starlark.NewDict(2)
		arguments, err := jsonValue(c.Arguments)
		if err != nil {
			return nil, errcode.New(errcode.InvalidArgument, "tool call %d: the arguments are not JSON", i+1)
		}
		_ = d.SetKey(starlark.String("name"), starlark.String(c.Name)) // text can be a key
		_ = d.SetKey(starlark.String("arguments"), arguments)
		out[i] = d
	}
	return starlark.NewList(out), nil
}

func earlierTurns(in *scoring.Input) (starlark.Value, error) {
	out := make([]starlark.Value, len(in.Case.Agent.Earlier))
	for i, t := range in.Case.Agent.Earlier {
		d := starlark.NewDict(3)
		for _, m := range []struct{ name, text string }{
			{"question", t.Question}, {"sql", t.SQL}, {"response", t.Response},
		} {
			_ = d.SetKey(starlark.String(m.name), starlark.String(m.text)) // text can be a key
		}
		out[i] = d
	}
	return starlark.NewList(out), nil
}

func expectedRecord(in *scoring.Input) (starlark.Value, error) {
	e := &in.Case.Expected
	tools, err := jsonValue(e.Tools)
	if err != nil {
		return nil, errcode.New(errcode.InvalidArgument, "expected tools: no JSON")
	}
	behaviour := e.Behaviour
	if behaviour == "" {
		behaviour = scoring.BehaviourAnswer
	}
	return &record{name: "expected", fields: starlark.StringDict{
		"behaviour": starlark.String(behaviour), "tools": tools, "clarifications": textList(e.Clarifications),
	}}, nil
}

func jsonValue(raw []byte) (starlark.Value, error) {
	if len(raw) == 0 {
		return starlark.None, nil
	}
	return decodeJSON(nil, raw)
}

// need is an entry of needs in a judge file: a required field, or an optional one, such as "response?".
type need struct {
	*field
	optional bool
}

func parseNeeds(words []string) ([]need, error) {
	var out []need
	for _, w := range words {
		name, optional := strings.CutSuffix(w, "?")
		i := slices.IndexFunc(fields, func(f field) bool { return f.name == name })
		if i < 0 {
			return nil, errcode.New(errcode.InvalidArgument, "needs: there is no %.40q%s; there are %s", name,
				scoring.Suggest(name, fieldNames()), strings.Join(fieldNames(), ", "))
		}
		if slices.ContainsFunc(out, func(n need) bool { return n.name == name }) {
			return nil, errcode.New(errcode.InvalidArgument, "needs: duplicate entry %s", name)
		}
		out = append(out, need{&fields[i], optional})
	}
	return out, nil
}

// fieldsOf returns the fields that a metric with these needs requires, and the optional ones that it reads. If a
// field has no argument of an SQL function, the whole case is required.
func fieldsOf(list []need) (needs, reads scoring.Field) {
	for _, n := range list {
		if n.optional && n.needs != scoring.FieldCase {
			reads |= n.needs
		} else {
			needs |= n.needs
		}
	}
	return needs, reads
}

// rowOf returns the record with the fields of a case that a script can read. If the case lacks a required field that
// the engine does not check, it returns a score that is not applicable instead.
func (j *Judge) rowOf(in *scoring.Input) (*record, *scoring.Score, error) {
	r := &record{name: "row", fields: make(starlark.StringDict, len(j.needs)+1)}
	for _, n := range j.needs {
		if !n.optional && n.given != nil && !n.given(in) {
			s := scoring.NotApplicable("no " + n.name + " given")
			return nil, &s, nil
		}
		v, err := n.value(in)
		if err != nil {
			return nil, nil, err
		}
		if n.optional && n.given != nil && !n.given(in) {
			v = starlark.None
		}
		r.fields[n.name] = v
	}
	if len(j.header.Scores) > 0 {
		scores, err := j.scoresOf(in)
		if err != nil {
			return nil, nil, err
		}
		r.fields["scores"] = scores
	}
	r.missing = func(name string) error {
		if slices.Contains(fieldNames(), name) {
			return errcode.New(errcode.InvalidArgument, "row.%s: the judge's needs do not name %s", name, name)
		}
		if name == "scores" {
			return errcode.New(errcode.InvalidArgument,
				"row.scores: the judge does not say which scores it reads; list the metrics under scores")
		}
		return errcode.New(errcode.InvalidArgument, "row has no field %.40q%s", name, scoring.Suggest(name, fieldNames()))
	}
	return r, nil, nil
}

// scoresOf returns a record of the scores of other metrics that the judge file lists under scores.
func (j *Judge) scoresOf(in *scoring.Input) (starlark.Value, error) {
	all := starlark.StringDict{}
	for _, name := range j.header.Scores {
		s, err := in.ScoreOf(name)
		if err != nil {
			return nil, errcode.New(errcode.Of(err), "scores: %w", err)
		}
		f := starlark.StringDict{
			"status": starlark.String(s.Status), "value": starlark.None, "label": starlark.None, "passed": starlark.None,
			"reason": starlark.String(s.Reason),
		}
		if s.Status == scoring.StatusOK {
			f["value"] = starlark.Float(s.Value)
		}
		if s.Label != "" {
			f["label"] = starlark.String(s.Label)
		}
		if s.Passed != nil {
			f["passed"] = starlark.Bool(*s.Passed)
		}
		all[name] = &record{name: "score", fields: f}
	}
	return &record{name: "scores", fields: all}, nil
}
