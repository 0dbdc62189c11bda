package judgebackend

import (
	"context"
	"log/slog"
	"strings"
)

// recorded is the wrapper that records every reply as an assessment: usable, truncated or refused, but not a failure
// without a reply. If recording fails, the caller still gets the reply, which is paid for.
type recorded struct {
	next         Backend
	id           Identity
	write        Recorder // nil: no record
	keepRequests bool
	clock        Clock
	log          *slog.Logger
}

func (w *recorded) Complete(ctx context.Context, r Request) (Response, error) {
	resp, err := w.next.Complete(ctx, r)
	if resp.FinishReason == "" {
		return resp, err
	}
	resp = withoutNUL(resp)
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
		w.log.Error("judge record: an assessment could not be written", "assessment_id", a.ID, "error",
			MapError(ctx, w.id, writeErr))
	}
	return resp, err
}

// withoutNUL returns resp with NUL bytes replaced by U+FFFD: not every store can hold them, and a stored reply must
// have the same hash as the one that was used.
func withoutNUL(resp Response) Response {
	resp.Reply, resp.Model, resp.Fingerprint = noNUL(resp.Reply), noNUL(resp.Model), noNUL(resp.Fingerprint)
	resp.LogProbs = tokensWithoutNUL(resp.LogProbs)
	return resp
}

func noNUL(text string) string { return strings.ReplaceAll(text, "\x00", "\ufffd") }

func tokensWithoutNUL(tokens []TokenLogProb) []TokenLogProb {
	if tokens == nil {
		return nil
	}
	out := make([]TokenLogProb, len(tokens))
	for i, t := range tokens {
		out[i] = TokenLogProb{Token: noNUL(t.Token), LogProb: t.LogProb, Top: tokensWithoutNUL(t.Top)}
	}
	return out
}
