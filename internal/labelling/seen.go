package labelling

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/badger-eval/badger/scoring"
)

// AnswerHash returns a hash, in 16 hexadecimal digits, of what an annotator sees of a case: question and gold
// ([scoring.Case.GoldHash]), and the agent's query, result, error and response. A label with another hash is
// outdated.
func AnswerHash(c *scoring.Case) string {
	h := sha256.New()
	result := c.Pred.Result.Ref
	if t := c.Pred.Result.Table; t != nil {
		result = string(t.AppendJSON(nil))
	}
	for _, text := range []string{c.GoldHash(), c.Pred.SQL, c.Pred.Error, result, c.Agent.Response} {
		part := sha256.Sum256([]byte(text)) // of one length, so that parts cannot run into each other
		h.Write(part[:])
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}
