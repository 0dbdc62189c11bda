package judgebackend

import "context"

// none is the backend of an evaluation without a judge: every call returns KindNoJudge.
type none struct{}

func openNone(context.Context, string, *OpenOptions) (Backend, error) { return none{}, nil }

func (none) Identity() Identity { return Identity{Backend: "none"} }

func (none) Complete(context.Context, Request) (Response, error) {
	return Response{}, &Error{Kind: KindNoJudge}
}
