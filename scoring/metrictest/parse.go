package metrictest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// File is one parsed file of cases.
type File struct {
	Name       string
	Properties Properties
	Cases      []*Case
}

// Case is one case with its expected scores.
type Case struct {
	Title   string // unique within its file
	Why     string
	Line    int
	JSON    []byte            // the case in the form of a case file
	Replies map[string]string // recorded judge replies, by purpose
	Expects []Expectation
	Games   []string // metrics whose [scoring.Metric.Gaming] the case demonstrates
}

// Expectation is the expected score of one metric.
type Expectation struct {
	Line   int
	Metric string
	Status scoring.Status
	Code   string   // error code of a failed score; empty: any
	Value  *float64 // nil: any
	Within float64  // maximum difference from Value
	Label  *string
	Passed *bool
	Detail []DetailExpectation
}

// DetailExpectation is the expected value of one member of a score's detail.
type DetailExpectation struct {
	Line int
	Path []string // names of members and indexes of elements
	JSON json.RawMessage
}

// parse parses a file of cases. Errors name the file and the line.
func parse(name string, text []byte) (*File, error) {
	p := &parser{file: &File{Name: name, Properties: Properties{}}}
	lines := strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n")
	for i := 0; i < len(lines); {
		p.line = i + 1
		head := lines[i]
		i++
		if trimmed := strings.TrimSpace(head); trimmed == "" || trimmed[0] == '#' {
			continue
		}
		var block []row
		for ; i < len(lines) && (strings.TrimSpace(lines[i]) == "" || indented(lines[i])); i++ {
			if s := strings.TrimSpace(lines[i]); s != "" && s[0] != '#' {
				block = append(block, row{i + 1, s})
			}
		}
		if indented(head) {
			return nil, p.errorf("an indented line belongs below gold, pred or another directive")
		}
		word, rest, _ := strings.Cut(strings.TrimSpace(head), " ")
		if err := p.directive(word, strings.TrimSpace(rest), block); err != nil {
			return nil, err
		}
	}
	if err := p.finish(); err != nil {
		return nil, err
	}
	return p.file, nil
}

func indented(s string) bool { return s[0] == ' ' || s[0] == '\t' }

// row is an indented line of a directive.
type row struct {
	line int
	text string
}

type parser struct {
	file  *File
	line  int
	draft *draft
}

// draft is the case that is being parsed.
type draft struct {
	*Case
	root  map[string]any
	golds []map[string]any
	agent map[string]any
}

func (p *parser) errorf(format string, args ...any) error {
	return p.errorAt(p.line, format, args...)
}

func (p *parser) errorAt(line int, format string, args ...any) error {
	return errcode.New(errcode.InvalidArgument, "%s:%d: %w", p.file.Name, line, fmt.Errorf(format, args...))
}

func (p *parser) directive(word, rest string, block []row) error {
	if (word == "properties" || word == "case") && len(block) > 0 {
		return p.errorAt(block[0].line, "%s takes no further lines", word)
	}
	switch word {
	case "properties":
		return p.properties(rest)
	case "case":
		return p.begin(rest)
	}
	d := p.draft
	if d == nil {
		return p.errorf("%s before the first case", word)
	}
	switch word {
	case "gold:", "pred:":
		return p.table(word, rest, block)
	case "why", "question", "dialect", "response", "interpretation":
		for _, r := range block {
			rest += "\n" + r.text
		}
		if rest = strings.TrimSpace(rest); rest == "" {
			return p.errorf("%s is empty", word)
		}
	default:
		if len(block) > 0 && word != "gold" && word != "pred" {
			return p.errorAt(block[0].line, "%s takes no further lines", word)
		}
	}
	switch word {
	case "why":
		d.Why = rest
	case "question", "dialect":
		d.root[word] = rest
	case "response", "interpretation":
		d.agent[word] = rest
	case "gold", "pred":
		return p.query(word, rest, block)
	case "options":
		metric, raw, _ := strings.Cut(rest, " ")
		return p.set("options."+metric, raw)
	case "set":
		path, raw, _ := strings.Cut(rest, " ")
		if path == "case_id" || path == "gold" || strings.HasPrefix(path, "gold.") {
			return p.errorf("%s is not set this way", path)
		}
		return p.set(path, raw)
	case "reply":
		purpose, reply, _ := strings.Cut(rest, " ")
		if _, twice := d.Replies[purpose]; twice || purpose == "" || reply == "" {
			return p.errorf("reply takes a purpose, once, and the reply")
		}
		d.Replies[purpose] = reply
	case "expect":
		return p.expect(rest)
	case "detail":
		return p.detail(rest)
	case "games":
		if !d.expects(rest) {
			return p.errorf("games takes a metric with an expect above")
		}
		d.Games = append(d.Games, rest)
	default:
		return p.errorf("unknown directive %.40q%s", word, scoring.Suggest(word, []string{
			"properties", "case", "why", "question", "dialect", "response", "interpretation", "gold", "gold:", "pred", "pred:",
			"options", "set", "reply", "expect", "detail", "games",
		}))
	}
	return nil
}

func (p *parser) begin(title string) error {
	if err := p.finish(); err != nil {
		return err
	}
	if title == "" {
		return p.errorf("a case needs a title")
	}
	for _, c := range p.file.Cases {
		if c.Title == title {
			return p.errorf("duplicate title; the first is in line %d", c.Line)
		}
	}
	p.draft = &draft{
		Case: &Case{Title: title, Line: p.line, Replies: map[string]string{}},
		root: map[string]any{}, agent: map[string]any{},
	}
	return nil
}

// finish adds the case that is being parsed to the file. It is an error if the case lacks an expectation or a reason,
// or is not a valid case.
func (p *parser) finish() error {
	d := p.draft
	if d == nil {
		return nil
	}
	p.draft = nil
	if len(d.Expects) == 0 {
		return p.errorAt(d.Line, "the case expects nothing")
	}
	if d.Why == "" {
		return p.errorAt(d.Line, "the case does not say why")
	}
	d.root["case_id"] = p.file.Name + "/" + d.Title
	if len(d.golds) > 0 {
		d.root["gold"] = d.golds
	}
	if len(d.agent) > 0 {
		if more, ok := d.root["agent"].(map[string]any); ok {
			for k, v := range more {
				d.agent[k] = v
			}
		}
		d.root["agent"] = d.agent
	}
	raw, err := json.Marshal(d.root)
	if err != nil {
		return p.errorAt(d.Line, "%w", err)
	}
	c, err := scoring.DecodeCase(raw)
	if err != nil {
		return p.errorAt(d.Line, "%w", err)
	}
	for i := range c.Golds {
		if err := c.Golds[i].Result.Err; err != nil {
			return p.errorAt(d.Line, "gold: %w", err)
		}
	}
	if err := c.Pred.Result.Err; err != nil {
		return p.errorAt(d.Line, "pred: %w", err)
	}
	d.Case.JSON = raw
	p.file.Cases = append(p.file.Cases, d.Case)
	return nil
}

// gold returns the accepted answer to which the current directive belongs. If fresh is set, it adds one, unless the
// last one has neither a result nor an error.
func (d *draft) gold(fresh bool) map[string]any {
	if n := len(d.golds); n > 0 && (!fresh || d.golds[n-1]["result"] == nil && d.golds[n-1]["error"] == nil) {
		return d.golds[n-1]
	}
	d.golds = append(d.golds, map[string]any{})
	return d.golds[len(d.golds)-1]
}

// table parses a result: the columns after gold: or pred:, and the rows in the following lines.
func (p *parser) table(word, header string, block []row) error {
	columns, err := p.columns(header)
	if err != nil {
		return err
	}
	rows := make([]json.RawMessage, 0, len(block))
	for _, r := range block {
		cells := json.RawMessage("[" + r.text + "]")
		if r.text == "." {
			cells = json.RawMessage("[]")
		}
		var values []json.RawMessage
		if err := json.Unmarshal(cells, &values); err != nil {
			return p.errorAt(r.line, "cells are JSON values with commas between: %w", err)
		}
		if len(values) != len(columns) {
			return p.errorAt(r.line, "%d cells, expected one for each of the %d columns", len(values), len(columns))
		}
		rows = append(rows, cells)
	}
	into := p.draft.agent
	if word == "gold:" {
		into = p.draft.gold(true)
	}
	if into["result"] != nil {
		return p.errorf("duplicate directive %s", word)
	}
	into["result"] = map[string]any{"columns": columns, "rows": rows}
	return nil
}

// columns parses the header of a result: names separated by commas, plain or as JSON strings, each with an optional
// type.
func (p *parser) columns(header string) ([]map[string]string, error) {
	columns := []map[string]string{}
	for rest := header; rest != ""; {
		var name string
		if rest[0] == '"' {
			d := json.NewDecoder(strings.NewReader(rest))
			if err := d.Decode(&name); err != nil {
				return nil, p.errorf("column %d: %w", len(columns)+1, err)
			}
			rest = rest[d.InputOffset():]
		} else {
			end := strings.IndexAny(rest, " ,")
			if end < 0 {
				end = len(rest)
			}
			name, rest = rest[:end], rest[end:]
		}
		kind, more, found := strings.Cut(rest, ",")
		column := map[string]string{"name": name}
		if kind = strings.TrimSpace(kind); kind != "" {
			if _, known := scoring.TypeNamed(kind); !known {
				return nil, p.errorf("column %d: unknown type %.40q", len(columns)+1, kind)
			}
			column["type"] = kind
		}
		columns = append(columns, column)
		if rest = strings.TrimSpace(more); found && rest == "" {
			return nil, p.errorf("a column is missing after the last comma")
		}
	}
	return columns, nil
}

// query parses a directive gold or pred with sql, error, result or latency.
func (p *parser) query(word, rest string, block []row) error {
	what, text, _ := strings.Cut(rest, " ")
	for _, r := range block {
		text += "\n" + r.text
	}
	into := p.draft.agent
	if word == "gold" {
		into = p.draft.gold(what == "sql")
	}
	text = strings.TrimSpace(text)
	switch what {
	case "sql", "error", "result", "chart":
		if text == "" || into[what] != nil {
			return p.errorf("%s %s takes one string, once", word, what)
		}
		into[what] = text
	case "latency":
		ms, err := strconv.ParseFloat(text, 64)
		if err != nil || into["latency_ms"] != nil {
			return p.errorf("%s latency takes milliseconds, once", word)
		}
		into["latency_ms"] = ms
	default:
		return p.errorf("%s is followed by a colon and columns, or by sql, error, result, chart or latency", word)
	}
	return nil
}

// set sets the member at a path of the case to a JSON value.
func (p *parser) set(path, raw string) error {
	raw = strings.TrimSpace(raw)
	if path == "" || !json.Valid([]byte(raw)) {
		return p.errorf("want a path and a JSON value")
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, []byte(raw)); err != nil {
		return p.errorf("%w", err)
	}
	at := p.draft.root
	parts := strings.Split(path, ".")
	for _, part := range parts[:len(parts)-1] {
		next, ok := at[part].(map[string]any)
		if !ok {
			if at[part] != nil {
				return p.errorf("%s holds a value already", part)
			}
			next = map[string]any{}
			at[part] = next
		}
		at = next
	}
	last := parts[len(parts)-1]
	if at[last] != nil {
		return p.errorf("%s is set twice", path)
	}
	at[last] = json.RawMessage(compact.Bytes())
	return nil
}
