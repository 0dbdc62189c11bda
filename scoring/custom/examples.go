package custom

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"go.starlark.net/starlark"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/prompt"
)

// Example is a labelled answer that the prompt of a judge shows before the answer to judge.
type Example struct {
	Verdict string            `yaml:"verdict"`          // human label: pass or fail
	Reason  string            `yaml:"reason,omitempty"` // the annotator's note, if any
	Fields  map[string]string `yaml:"fields"`           // texts by placeholder of the prompt, without those of the settings
}

// MaxExamples is the maximum number of examples of a judge file.
const MaxExamples = 50

// checkExamples returns an error if an example has no verdict, or a field that the prompt does not show.
func (j *Judge) checkExamples() error {
	if len(j.header.Examples) > MaxExamples {
		return errcode.New(errcode.ResourceExhausted, "examples: expected at most %d", MaxExamples)
	}
	shown := j.shown()
	for i, e := range j.header.Examples {
		if e.Verdict != "pass" && e.Verdict != "fail" {
			return errcode.New(errcode.InvalidArgument, "examples[%d].verdict: expected pass or fail", i)
		}
		if len(e.Fields) == 0 {
			return errcode.New(errcode.InvalidArgument, "examples[%d].fields: expected the texts of the prompt's placeholders",
				i)
		}
		for _, name := range slices.Sorted(maps.Keys(e.Fields)) {
			if !slices.Contains(shown, name) {
				return errcode.New(errcode.InvalidArgument, "examples[%d].fields: the prompt does not contain {{%.40s}}", i,
					name)
			}
		}
	}
	return nil
}

// shown returns the fields of a case that the prompt shows, in the order of their first placeholders.
func (j *Judge) shown() (names []string) {
	for _, m := range placeholder.FindAllStringSubmatch(j.header.Prompt.Value, -1) {
		if !strings.HasPrefix(m[1], settingPrefix) && !slices.Contains(names, m[1]) {
			names = append(names, m[1])
		}
	}
	return names
}

// exampleText returns the part of the prompt with the examples, or "" without any. All that annotators or agents wrote
// is enclosed as material.
func (j *Judge) exampleText() string {
	if len(j.header.Examples) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("These are other answers, with the verdict of a human annotator on each. " +
		"They show where the line between pass and fail is.\n")
	for i, e := range j.header.Examples {
		b.WriteString("\nExample " + strconv.Itoa(i+1) + "\n")
		b.WriteString(e.text(j.shown()))
		b.WriteString("Verdict of the annotator: " + e.Verdict + "\n")
	}
	b.WriteString("\nEnd of the examples. Judge the answer below, in the form that is required below.\n\n")
	return b.String()
}

// text returns the fields of an example in an order, and its reason, as material.
func (e *Example) text(order []string) string {
	var b strings.Builder
	for _, name := range order {
		if text, ok := e.Fields[name]; ok {
			b.WriteString(prompt.Block(titleOf(name), text, materialText))
		}
	}
	if e.Reason != "" {
		b.WriteString(prompt.Block("Reason of the annotator", e.Reason, materialText))
	}
	return b.String()
}

// Texts returns the texts of a case that the prompt of a judge of kind prompt shows, by placeholder. They are not
// enclosed. It returns nil if the case lacks a field that the judge needs.
func (j *Judge) Texts(in *scoring.Input) (map[string]string, error) {
	row, lacking, err := j.rowOf(in)
	if err != nil || lacking != nil {
		return nil, err
	}
	b := &budget{limits: defaultLimits, thread: new(starlark.Thread)}
	out := map[string]string{}
	for _, name := range j.shown() {
		text, err := fieldText(b, row, name)
		if err != nil {
			return nil, err
		}
		out[name] = strings.ToValidUTF8(text, "�")
	}
	return out, nil
}

// fieldText returns a field of a case as the prompt shows it, not enclosed.
func fieldText(b *budget, row *record, name string) (string, error) {
	v := row.fields[name]
	if v == nil {
		v = starlark.None
	}
	if r, ok := v.(*record); ok {
		d := starlark.NewDict(len(r.fields))
		for _, k := range r.AttrNames() {
			e := r.fields[k]
			if s, ok := e.(*record); ok {
				e = s.fields["value"]
			}
			_ = d.SetKey(starlark.String(k), e) // text can be a key
		}
		v = d
	}
	return materialOf(b, v)
}
