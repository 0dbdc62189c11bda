package store

import (
	"strings"
	"testing"
	"time"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// The table scores has no column for the number of an answer: a second answer to a question would take
// the place of the first.
func TestRepeatedAnswersAreNotStoredOverTheFirst(t *testing.T) {
	t.Parallel()
	w := New(connectors.New(nil, driver.Dialect{}))
	rows := []scoring.Row{{AnswerID: scoring.AnswerID{CaseID: "c1", By: scoring.By{Agent: "atlas", Repeat: 2}}, Score: scoring.OK(1, "")}}
	err := w.WriteScores(t.Context(), "r", "", time.Time{}, rows)
	if errcode.Of(err) != errcode.Unimplemented || !strings.Contains(err.Error(), `case "c1": answer number 2`) {
		t.Errorf("error: %v", err)
	}
}
