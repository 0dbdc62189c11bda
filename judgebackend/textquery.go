package judgebackend

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
)

// TextQueryer runs one query that gives one text. A warehouse connection satisfies it; cortex,
// bigqueryai and aiquery need nothing else. Arguments take the place of question marks, in order.
// Errors carry an errcode.
type TextQueryer interface {
	QueryText(ctx context.Context, query string, args ...any) (string, error)
}

// inWarehouse is what the three backends inside a warehouse share: a statement in, an envelope out.
// The statement is the backend's own text; whatever comes from a request is bound or, where a
// warehouse demands a literal, quoted.
type inWarehouse struct {
	id      Identity
	queryer TextQueryer
	render  func(r Request) (query string, args []any, err error)
	decode  func(envelope string) (Response, error)
}

func openInWarehouse(name, model string, o *OpenOptions, b inWarehouse) (Backend, error) {
	if err := wantModel(name, model); err != nil {
		return nil, err
	}
	if o.Queryer == nil {
		return nil, errcode.New(errcode.FailedPrecondition, "judge %s: needs a connection to its warehouse", name)
	}
	b.id = Identity{Backend: name, Model: model}
	b.queryer = o.Queryer
	return &b, nil
}

func (b *inWarehouse) Identity() Identity { return b.id }

func (b *inWarehouse) Complete(ctx context.Context, r Request) (Response, error) {
	query, args, err := b.render(r)
	if err != nil {
		return Response{}, err
	}
	envelope, err := b.queryer.QueryText(ctx, query, args...)
	if err != nil {
		return Response{}, queryError(ctx, err)
	}
	return b.decode(envelope)
}

// queryError keeps of a connection's error its code, and what its first words tell where it has
// none.
func queryError(ctx context.Context, err error) error {
	var coded *errcode.Error
	if ctx.Err() == nil && !errors.As(err, &coded) {
		if kind := (said{message: looked(err.Error())}).kind(); kind != "" {
			return &Error{Kind: kind}
		}
	}
	return err
}

// reported is the failure a warehouse's function wrote into its result instead of raising it.
func reported(text string) error {
	e := &Error{Kind: KindServer, said: said{message: looked(text)}}
	if k := e.said.kind(); k != "" {
		e.Kind = k
	}
	return e
}

// fold puts a conversation into the one text that the warehouses' functions take.
func fold(messages []Message) string {
	var b strings.Builder
	talk := 0
	for _, m := range messages {
		if m.Role != System {
			talk++
		}
	}
	for i, m := range messages {
		if i > 0 {
			b.WriteString("\n\n")
		}
		switch {
		case talk == 1 || m.Role == System:
		case m.Role == Assistant:
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
func known(counts ...*TokenCount) TokenCount {
	for _, n := range counts {
		if n != nil {
			return *n
		}
	}
	return TokensUnknown
}
