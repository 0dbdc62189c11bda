package judgebackend

import "context"

// none refuses every call: evaluation without a judge.
type none struct{}

func openNone(context.Context, string, *OpenOptions) (Backend, error) { return none{}, nil }

func (none) Identity() Identity { return Identity{Backend: "none"} }

func (none) Complete(context.Context, Request) (Response, error) {
	return Response{}, &Error{Kind: KindNoJudge}
}
