package judgebackend

import (
	"context"
	"log/slog"
)

// recorded turns every answer into an assessment: usable, cut or refused, but no failure without an
// answer. A record that cannot be written does not take the answer away from the caller, who has
// paid for it.
type recorded struct {
	next         Backend
	id           Identity
	write        Recorder // nil for none
	keepRequests bool
	clock        Clock
	log          *slog.Logger
}

func (w *recorded) Complete(ctx context.Context, r Request) (Response, error) {
	resp, err := w.next.Complete(ctx, r)
	if resp.FinishReason == "" {
		return resp, err
	}
	resp.RequestHash = r.hash
	resp.CreatedAt = w.clock.Now().UTC()
	a := assess(ctx, w.id, r, resp)
	resp.AssessmentID = a.ID
	if w.write == nil {
		return resp, err
	}
	if w.keepRequests {
		a.Request = &r
	}
	if writeErr := w.write(context.WithoutCancel(ctx), a); writeErr != nil {
		w.log.Error("judge record: an assessment could not be written", "assessment_id", a.ID, "error", mapError(ctx, w.id, writeErr))
	}
	return resp, err
}
