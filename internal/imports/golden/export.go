package golden

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/jsonscan"
	"github.com/badger-eval/badger/scoring"
)

// Lines yields the lines of a case file with their places. It can be read several times.
type Lines func(ctx context.Context) iter.Seq2[Line, error]

// Line is a line of a case file.
type Line struct {
	Place string
	Text  []byte
}

// Lost counts what a form has no field for.
type Lost struct {
	Written int            `json:"written"`
	What    map[string]int `json:"lost"` // such as results of gold
}

// exporter writes cases in the form of a kind.
type exporter struct {
	ctx   context.Context //nolint:containedctx // of the export
	kind  *Kind
	lines Lines
	out   *bufio.Writer
	lost  Lost
	count bool // lost is counted in this pass
	ref   func(string) string
}

// Export writes the cases of a case file in the form of a kind, and counts what the form has no field for. ref returns
// the reference that is written instead of one of the case file.
func Export(ctx context.Context, kind *Kind, lines Lines, ref func(string) string, out io.Writer) (Lost, error) {
	e := &exporter{ctx: ctx, kind: kind, lines: lines, ref: ref, out: bufio.NewWriterSize(out, 1<<16), count: true}
	e.lost.What = map[string]int{}
	if err := kind.write(e); err != nil {
		return e.lost, err
	}
	return e.lost, e.out.Flush()
}

// cases yields the cases.
func (e *exporter) cases() iter.Seq2[*Case, error] {
	return func(yield func(*Case, error) bool) {
		for line, err := range e.lines(e.ctx) {
			if err != nil {
				yield(nil, err)
				return
			}
			c, err := e.read(line)
			if !yield(c, err) || err != nil {
				return
			}
		}
	}
}

// has reports whether a field of the kind has the key.
func (k *Kind) has(keys ...string) bool {
	for _, f := range k.fields {
		for _, key := range keys {
			if f.to == key {
				return true
			}
		}
	}
	return false
}

// read decodes a line.
func (e *exporter) read(line Line) (*Case, error) {
	from, err := scoring.DecodeCase(line.Text)
	if err != nil {
		return nil, errcode.New(errcode.Of(err), "%s: %w", line.Place, err)
	}
	c := &Case{ID: from.ID, Question: from.Question, Evidence: from.Evidence, Schema: from.Schema, Database: from.Database,
		Dataset: from.Dataset, Dialect: from.Dialect, Tags: from.Tags, Tools: from.Expected.Tools, Note: from.Note,
		Answer: Answer{SQL: from.Pred.SQL, Response: from.Agent.Response, Error: from.Pred.Error}}
	for i := range from.Golds {
		c.Golds = append(c.Golds, Gold{SQL: from.Golds[i].SQL, Result: e.written(from.Golds[i].Result)})
	}
	c.Answer.Result = e.written(from.Pred.Result)
	if from.Human != nil {
		c.Label = map[bool]string{true: "pass", false: "fail"}[*from.Human]
	}
	c.Meta = jsonscan.ParseObject(jsonscan.ParseObject(line.Text).Get("meta"))
	if e.count {
		e.lost.Written++
		k := e.kind
		for what, is := range map[string]bool{
			"results of gold":           !k.has("gold.result") && hasResult(c.Golds),
			"further golds":             k.oneGold() && len(c.queries()) > 1,
			"further results":           k.has("gold.result") && len(c.Golds) > 1 && hasResult(c.Golds),
			"golds that would be split": k.Name == "defog" && splits(c),
			"answers":                   !k.has("agent.sql", "agent") && !c.Answer.empty(),
			"hints":                     !k.has("evidence") && c.Evidence != "",
			"tags":                      !k.has("tags") && len(c.Tags) > 0,
			"labels":                    !k.has("human.label") && c.Label != "",
			"expected calls":            !k.has("expected.tools") && c.Tools != nil,
			"databases":                 !k.has("database") && c.Database != "",
		} {
			if is {
				e.lost.What[what]++
			}
		}
	}
	return c, nil
}

// oneGold reports whether a record has one accepted query.
func (k *Kind) oneGold() bool {
	return k.Name == "bird" || k.Name == "spider" || k.Name == "cortex-analyst"
}

func hasResult(golds []Gold) bool {
	for _, g := range golds {
		if g.Result != nil {
			return true
		}
	}
	return false
}

// written returns a result in the form of a case file, and nil if there is none.
func (e *exporter) written(r scoring.Result) json.RawMessage {
	switch {
	case r.Ref != "":
		return quoted(e.ref(r.Ref))
	case r.Table != nil:
		return r.Table.AppendJSON(nil)
	}
	return nil
}

// writeRecords writes a JSON list, one record a line.
func writeRecords(e *exporter) error {
	return e.list("[", "]\n", func(c *Case) json.RawMessage { return objectText(record(e.kind.fields, c)) })
}

// writeLines writes JSON Lines.
func writeLines(e *exporter) error {
	for c, err := range e.cases() {
		if err != nil {
			return err
		}
		fmt.Fprintf(e.out, "%s\n", objectText(record(e.kind.fields, c)))
	}
	return nil
}

// list writes a list between two texts.
func (e *exporter) list(before, after string, one func(*Case) json.RawMessage) error {
	e.out.WriteString(before) //nolint:errcheck // Flush returns it
	first := true
	for c, err := range e.cases() {
		if err != nil {
			return err
		}
		fmt.Fprintf(e.out, "%s\n%s", map[bool]string{true: "", false: ","}[first], bytes.TrimSpace(one(c)))
		first = false
	}
	_, err := fmt.Fprintf(e.out, "\n%s", after)
	return err
}
