package custom

import (
	"context"
	"errors"

	"go.starlark.net/starlark"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/strictyaml"
	"github.com/badger-eval/badger/scoring"
)

const processRow = "process_row"

// loadStarlark loads a Starlark file: the arguments of its judge(…) call are the header, and process_row is the
// judge's function.
func (j *Judge) loadStarlark(ctx context.Context, most Limits, o *Options) error {
	f, err := parse(j.File, []byte(j.Source))
	if err != nil {
		return err
	}
	var h *header
	declare := starlark.NewBuiltin("judge",
		func(t *starlark.Thread, fn *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			switch {
			case h != nil:
				return nil, errcode.New(errcode.InvalidArgument, "judge: expected one call, at the top level of the file")
			case len(args) > 0:
				return nil, errcode.New(errcode.InvalidArgument,
					"judge: expected named arguments, as in judge(name = …, version = 1)")
			}
			d := starlark.NewDict(len(kwargs))
			for _, kv := range kwargs {
				if _, err := budgetOf(t).walk(kv[1]); err != nil {
					return nil, err
				}
				if err := d.SetKey(kv[0], kv[1]); err != nil {
					return nil, err
				}
			}
			raw, err := encodeJSON(nil, d, 0)
			if err != nil {
				return nil, errcode.New(errcode.InvalidArgument, "judge: %w", err)
			}
			decoded, err := decodeHeader(raw)
			var wrong strictyaml.Error
			if errors.As(err, &wrong) { // arguments have no lines
				for i := range wrong {
					wrong[i].Line = 0
				}
				err = wrong
			}
			if err != nil {
				return nil, errcode.New(errcode.InvalidArgument, "judge: %w", err)
			}
			if decoded.Kind != "" && decoded.Kind != Starlark {
				return nil, errcode.New(errcode.InvalidArgument, "judge: kind: a .star file is of kind starlark")
			}
			decoded.Kind = Starlark
			if err := j.take(decoded); err != nil {
				return nil, errcode.New(errcode.Of(err), "judge: %w", err)
			}
			h = decoded
			return starlark.None, nil
		})
	more := starlark.StringDict{"judge": declare}
	for name, v := range llmNames {
		more[name] = v
	}
	s, err := compile(ctx, j.File, f, options{
		limits: Limits{min(defaultLimits.Steps, most.Steps), min(defaultLimits.Memory, most.Memory)},
		print:  o.Print, more: more,
	})
	if err != nil {
		return err
	}
	if h == nil {
		return errcode.New(errcode.InvalidArgument, "missing call of judge(name = …, version = …, summary = …, needs = […])")
	}
	fn, ok := s.globals[processRow].(*starlark.Function)
	if !ok || fn.NumParams() != 2 || fn.HasVarargs() || fn.HasKwargs() || fn.NumKwonlyParams() > 0 {
		return errcode.New(errcode.InvalidArgument, "has no function process_row(row, config)")
	}
	if s.limits, err = h.limits(most); err != nil {
		return err
	}
	j.asks = s.idents["llm_complete"]
	j.score = func(ctx context.Context, in *scoring.Input, row *record, settings map[string]any) (scoring.Score, error) {
		v, err := s.call(ctx, processRow, map[string]any{
			conversationKey: &conversation{ctx: ctx, judge: j, in: in}, trustKey: configRecord(j.ownSettings(in, settings)),
		}, row, configRecord(settings))
		if err != nil {
			return scoring.Score{}, err
		}
		d, ok := v.(*starlark.Dict)
		if !ok {
			return scoring.Score{}, errcode.New(errcode.InvalidArgument,
				"process_row returned %s, expected a dict such as {\"value\": 1, \"reason\": \"…\"}", v.Type())
		}
		said := make(map[string]starlark.Value, d.Len())
		for k, v := range d.Entries() {
			name, _ := starlark.AsString(k)
			said[name] = v
		}
		out, err := j.scoreOf(said)
		if err != nil {
			return out, errcode.New(errcode.Of(err), "process_row: %w", err)
		}
		return out, nil
	}
	return nil
}
