// Package inwarehouse calls the models that warehouses host, with one query per call. A program lists [Cortex],
// [BigQueryAI] and [AIQuery] among its [judgebackend.Providers]. They open no connections: all traffic goes through
// the warehouse's connection.
package inwarehouse

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/judgebackend"
)

// inWarehouse is the shared part of the three backends: it runs a statement and decodes the returned envelope. The
// text of the statement is the backend's. Values of a request are bound or, if the warehouse requires a literal,
// quoted.
type inWarehouse struct {
	id      judgebackend.Identity
	queryer judgebackend.TextQueryer
	render  func(r judgebackend.Request) (query string, args []any, err error)
	decode  func(envelope string) (judgebackend.Response, error)
}

func openInWarehouse(name, model string, o *judgebackend.OpenOptions, b inWarehouse) (judgebackend.Backend, error) {
	if o.Queryer == nil {
		return nil, errcode.New(errcode.FailedPrecondition, "judge %s: needs a connection to its warehouse", name)
	}
	b.id = judgebackend.Identity{Backend: name, Model: model}
	b.queryer = o.Queryer
	return &b, nil
}

func (b *inWarehouse) Identity() judgebackend.Identity { return b.id }

func (b *inWarehouse) Complete(ctx context.Context, r judgebackend.Request) (judgebackend.Response, error) {
	query, args, err := b.render(r)
	if err != nil {
		return judgebackend.Response{}, err
	}
	envelope, err := b.queryer.QueryText(ctx, query, args...)
	if err != nil {
		return judgebackend.Response{}, queryError(ctx, err)
	}
	return b.decode(envelope)
}

// queryError returns err if it has a code. Otherwise it infers the kind of failure from the beginning of the
// message.
func queryError(ctx context.Context, err error) error {
	var coded *errcode.Error
	if ctx.Err() == nil && !errors.As(err, &coded) {
		if kind := judgebackend.NewSaid("", err.Error()).Kind(); kind != "" {
			return &judgebackend.Error{Kind: kind}
		}
	}
	return err
}

// reported returns the error that a warehouse's function wrote into its result.
func reported(text string) error {
	e := &judgebackend.Error{Kind: judgebackend.KindServer, Said: judgebackend.NewSaid("", text)}
	if k := e.Said.Kind(); k != "" {
		e.Kind = k
	}
	return e
}

// fold converts a conversation to the single prompt that the warehouses' functions accept.
func fold(messages []judgebackend.Message) string {
	var b strings.Builder
	talk := 0
	for _, m := range messages {
		if m.Role != judgebackend.System {
			talk++
		}
	}
	for i, m := range messages {
		if i > 0 {
			b.WriteString("\n\n")
		}
		switch {
		case talk == 1 || m.Role == judgebackend.System:
		case m.Role == judgebackend.Assistant:
			b.WriteString("[Your earlier answer]\n")
		default:
			b.WriteString("[Request]\n")
		}
		b.WriteString(m.Content)
	}
	return b.String()
}

// number formats a float as an SQL literal of the same value.
func number(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// known returns the first count that is not nil, or TokensUnknown.
func known(counts ...*judgebackend.TokenCount) judgebackend.TokenCount {
	for _, n := range counts {
		if n != nil {
			return *n
		}
	}
	return judgebackend.TokensUnknown
}
