package custom

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
	"gopkg.in/yaml.v3"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/lazyregexp"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/prompt"
)

// loadYAML loads a judge of the kinds expression, prompt and sql from YAML.
func (j *Judge) loadYAML(ctx context.Context, most Limits, o *Options) error {
	h, err := decodeHeader([]byte(j.Source))
	if err != nil {
		return err
	}
	if h.Kind == Starlark {
		return errcode.New(errcode.InvalidArgument,
			"kind: starlark is not a kind of YAML judge; write the judge as a .star file")
	}
	if err := j.take(h); err != nil {
		return err
	}
	limits, err := h.limits(most)
	if err != nil {
		return err
	}
	switch h.Kind {
	case Expression:
		return j.loadExpression(ctx, limits, o)
	case Prompt:
		return j.loadPrompt(ctx, limits, o)
	}
	return j.loadSQL(o)
}

// expressions compiles each expression under result to a function named like its member. params are the names of the
// functions' parameters.
func (j *Judge) expressions(ctx context.Context, limits Limits, o *Options, params ...string) (*script, error) {
	f := &syntax.File{Path: j.File, Options: dialect}
	for _, name := range slices.Sorted(maps.Keys(j.header.Result)) {
		node := j.header.Result[name]
		if !slices.Contains(members, name) {
			return nil, errcode.New(errcode.InvalidArgument,
				"line %d: result: %.40q is not a member of a score; expected one of %s", node.Line, name,
				strings.Join(members, ", "))
		}
		if node.Kind != yaml.ScalarNode || node.Tag == "!!null" {
			return nil, errcode.New(errcode.InvalidArgument, "line %d: result.%s: expected an expression", node.Line, name)
		}
		first := node.Line
		if node.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
			first++ // the text starts on the line after the | or >
		}
		// The parentheses allow an expression to span several lines.
		text := "(" + strings.TrimSpace(node.Value) + "\n)"
		e, err := dialect.ParseExpr(j.File, syntax.FilePortion{Content: []byte(text), FirstLine: int32(first), FirstCol: 1}, 0) //nolint:gosec // lines of a small file
		if err != nil {
			return nil, errcode.New(errcode.InvalidArgument, "result.%s: %s", name, syntaxMessage(err))
		}
		at := syntax.MakePosition(&j.File, int32(first), 1) //nolint:gosec // likewise
		def := &syntax.DefStmt{Def: at, Name: &syntax.Ident{NamePos: at, Name: name}, Lparen: at, Rparen: at,
			Body: []syntax.Stmt{&syntax.ReturnStmt{Return: at, Result: e}}}
		for _, p := range params {
			def.Params = append(def.Params, &syntax.Ident{NamePos: at, Name: p})
		}
		f.Stmts = append(f.Stmts, def)
	}
	s, err := compile(ctx, j.File, f, options{limits: limits, print: o.Print})
	if err != nil {
		return nil, errcode.New(errcode.Of(err), "result: %w", err)
	}
	return s, nil
}

// evaluate evaluates the expressions with args as the parameters, and returns the score with their values.
func (j *Judge) evaluate(ctx context.Context, s *script, args ...starlark.Value) (scoring.Score, error) {
	said := map[string]starlark.Value{}
	for _, name := range slices.Sorted(maps.Keys(j.header.Result)) {
		v, err := s.call(ctx, name, nil, args...)
		if err != nil {
			return scoring.Score{}, err
		}
		said[name] = v
	}
	out, err := j.scoreOf(said)
	if err != nil {
		return out, errcode.New(errcode.Of(err), "result: %w", err)
	}
	return out, nil
}

func (j *Judge) loadExpression(ctx context.Context, limits Limits, o *Options) error {
	s, err := j.expressions(ctx, limits, o, "row", "config")
	if err != nil {
		return err
	}
	j.score = func(ctx context.Context, _ *scoring.Input, row *record, settings map[string]any) (scoring.Score, error) {
		return j.evaluate(ctx, s, row, configRecord(settings))
	}
	return nil
}

// settingPrefix starts the placeholder of a setting.
const settingPrefix = "config."

// placeholder matches {{question}} or {{config.tone}} in a prompt.
var placeholder = lazyregexp.New(`\{\{\s*([A-Za-z_.0-9]*)\s*\}\}`)

func (j *Judge) loadPrompt(ctx context.Context, limits Limits, o *Options) error {
	h := j.header
	if h.Prompt.Kind != yaml.ScalarNode || strings.TrimSpace(h.Prompt.Value) == "" {
		return errcode.New(errcode.InvalidArgument, "line %d: prompt: expected text", h.Prompt.Line)
	}
	if err := j.checkPlaceholders(); err != nil {
		return err
	}
	if err := j.checkExamples(); err != nil {
		return err
	}
	examples := j.exampleText()
	schema, err := json.Marshal(h.Schema)
	if err != nil {
		return errcode.New(errcode.InvalidArgument, "schema: keys must be text")
	}
	temperature := scoring.JudgeTemperature
	if h.Temperature != nil {
		temperature = *h.Temperature
	}
	if !(temperature >= 0 && temperature <= 2) || h.MaxTokens < 0 {
		return errcode.New(errcode.InvalidArgument, "temperature and max_tokens: expected 0 to 2, and not less than 0")
	}
	if err := checkSchema(ctx, schema); err != nil {
		return err
	}
	s, err := j.expressions(ctx, limits, o, "row", "config", "reply")
	if err != nil {
		return err
	}
	j.asks = true
	j.score = func(ctx context.Context, in *scoring.Input, row *record, settings map[string]any) (scoring.Score, error) {
		c := &conversation{ctx: ctx, judge: j, in: in}
		user, err := fill(h.Prompt.Value, row, settings, j.ownSettings(in, settings))
		if err != nil {
			return scoring.Score{}, errcode.New(errcode.Of(err), "prompt: %w", err)
		}
		raw, err := c.ask(
			question{user: examples + user, system: h.System, schema: schema, temperature: temperature, maxTokens: h.MaxTokens})
		if err != nil {
			return scoring.Score{}, err
		}
		v, err := decodeJSON(nil, raw)
		if err != nil {
			return scoring.Score{}, errcode.New(errcode.DataLoss, "the reply cannot be read")
		}
		return j.evaluate(ctx, s, row, configRecord(settings), replyOf(v))
	}
	return nil
}

// replyOf returns a dict as a record, so that expressions can access its members as attributes: reply.name. It
// returns any other value unchanged.
func replyOf(v starlark.Value) starlark.Value {
	d, ok := v.(*starlark.Dict)
	if !ok {
		return v
	}
	r := &record{name: "reply", fields: starlark.StringDict{}}
	for k, e := range d.Entries() {
		if name, ok := starlark.AsString(k); ok {
			r.fields[name] = e
		}
	}
	return r
}

// checkSchema returns an error if the judge backend would reject a schema of replies.
func checkSchema(ctx context.Context, schema json.RawMessage) error {
	var none json.RawMessage
	err := judgebackend.Decode("{}", schema, &none)
	if err != nil && errcode.Of(err) == errcode.InvalidArgument {
		return errcode.New(errcode.InvalidArgument, "schema: %w", err)
	}
	empty := judgebackend.Request{Schema: schema, NonceField: "nonce",
		Messages: []judgebackend.Message{{Role: judgebackend.User}}}
	if _, _, err := empty.WithNonce(); err != nil {
		return errcode.New(errcode.InvalidArgument, "schema: %w", err)
	}
	return ctx.Err()
}

// checkPlaceholders returns an error if the prompt has a placeholder for a field that is not among the judge's needs,
// or for an unknown setting.
func (j *Judge) checkPlaceholders() error {
	node := &j.header.Prompt
	for _, m := range placeholder.FindAllStringSubmatchIndex(node.Value, -1) {
		name := node.Value[m[2]:m[3]]
		line := node.Line + strings.Count(node.Value[:m[0]], "\n")
		if node.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
			line++
		}
		if set, ok := strings.CutPrefix(name, settingPrefix); ok {
			if j.config[set] == nil {
				return errcode.New(errcode.InvalidArgument, "line %d: prompt: config has no %.40q", line, set)
			}
			continue
		}
		if name == "scores" && len(j.header.Scores) > 0 {
			continue
		}
		if !slices.ContainsFunc(j.needs, func(n need) bool { return n.name == name }) {
			return errcode.New(errcode.InvalidArgument, "line %d: prompt: {{%.40s}} is not among the judge's needs", line, name)
		}
	}
	if strings.Contains(placeholder.ReplaceAllString(node.Value, ""), "{{") {
		return errcode.New(errcode.InvalidArgument, "line %d: prompt: expected {{NAME}} or {{config.NAME}} after {{",
			node.Line)
	}
	return nil
}

// fill returns the prompt with fields of the case and settings in place of the placeholders. Fields of the case are
// enclosed as material, and so are settings that are not in own.
func fill(template string, row *record, settings, own map[string]any) (string, error) {
	b := &budget{limits: defaultLimits, thread: new(starlark.Thread)}
	var failed error
	out := placeholder.ReplaceAllStringFunc(template, func(hole string) string {
		name := placeholder.FindStringSubmatch(hole)[1]
		if set, ok := strings.CutPrefix(name, settingPrefix); ok {
			if _, ok := own[set]; ok {
				return settingText(own[set])
			}
			return strings.TrimSuffix(prompt.Block(set, settingText(settings[set]), materialText), "\n")
		}
		text, err := fieldText(b, row, name)
		if err != nil {
			failed = err
		}
		return strings.TrimSuffix(prompt.Block(titleOf(name), text, materialText), "\n")
	})
	return out, failed
}

func settingText(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []any:
		parts := make([]string, len(v))
		for i := range v {
			parts[i] = settingText(v[i])
		}
		return strings.Join(parts, ", ")
	}
	text, _ := json.Marshal(v) // numbers and truths always can be
	return string(text)
}
