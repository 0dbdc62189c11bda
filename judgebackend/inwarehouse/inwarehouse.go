// Package inwarehouse asks the models that warehouses host, each with one query that gives one text:
// [Cortex], [BigQueryAI] and [AIQuery] are what a program lists among its [judgebackend.Providers].
// They have no transport of their own: nothing leaves but through the warehouse's connection.
package inwarehouse

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/judgebackend"
)

// inWarehouse is what the three backends inside a warehouse share: a statement in, an envelope out.
// The statement is the backend's own text; whatever comes from a request is bound or, where a
// warehouse demands a literal, quoted.
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

// queryError keeps of a connection's error its code, and what its first words tell where it has
// none.
func queryError(ctx context.Context, err error) error {
	var coded *errcode.Error
	if ctx.Err() == nil && !errors.As(err, &coded) {
		if kind := judgebackend.NewSaid("", err.Error()).Kind(); kind != "" {
			return &judgebackend.Error{Kind: kind}
		}
	}
	return err
}

// reported is the failure a warehouse's function wrote into its result instead of raising it.
func reported(text string) error {
	e := &judgebackend.Error{Kind: judgebackend.KindServer, Said: judgebackend.NewSaid("", text)}
	if k := e.Said.Kind(); k != "" {
		e.Kind = k
	}
	return e
}

// fold puts a conversation into the one text that the warehouses' functions take.
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

// number writes a float so that SQL reads it back unchanged.
func number(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// known is the first count there is.
func known(counts ...*judgebackend.TokenCount) judgebackend.TokenCount {
	for _, n := range counts {
		if n != nil {
			return *n
		}
	}
	return judgebackend.TokensUnknown
}
