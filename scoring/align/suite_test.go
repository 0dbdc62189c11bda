package align_test

import (
	"testing"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/align"
	"github.com/badger-eval/badger/scoring/aligntest"
)

func byEvidence(gold, pred *scoring.Table) scoring.Alignment {
	return align.Align(gold, pred, align.Options{Tolerance: align.PaperTolerance})
}

func TestContract(t *testing.T) { aligntest.Contract(t, byEvidence) }

func TestEvidence(t *testing.T) { aligntest.Evidence(t, byEvidence) }
