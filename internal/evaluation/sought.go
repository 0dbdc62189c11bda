package evaluation

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/batch"
	"github.com/badger-eval/badger/internal/caseview"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
	"github.com/badger-eval/badger/sql/store"
)

// Sought identifies one answer by flags of a command. Its errors are usage errors that name the flags that can choose
// another answer.
type Sought struct {
	Case  string
	RunID string           // empty: the latest run that scored the case
	Of    scoring.AnswerID // pattern of the answer's agent, version and batch, see [scoring.AnswerID.Matches]
	Named []string         // description of the pattern for messages: agent "nova"
}

// latestRuns is the number of latest runs in which the case is searched for.
const latestRuns = 1000

// suggestedCases is the number of cases of a file among which a misspelt one is searched for.
const suggestedCases = 1000

// Stored reads the scores of the case from a warehouse, and the answer. If inFile is true, the answer may be missing,
// because a file has it.
func (s *Sought) Stored(ctx context.Context, w *store.Store, inFile bool) (caseview.Input, error) {
	run, err := s.run(ctx, w)
	if err != nil {
		return caseview.Input{}, err
	}
	pages, err := w.Pages(ctx, metric.All())
	if err != nil {
		return caseview.Input{}, err
	}
	d, err := pages.Case(ctx, run, s.Case)
	if err != nil {
		return caseview.Input{}, err
	}
	// the question alone is all there is
	missing := slices.ContainsFunc(d.Scores, func(s store.CaseScore) bool { return s.Missing() })
	if !d.Answered && !missing && !inFile {
		return caseview.Input{}, errcode.Usage(
			"badger.agent_runs has no answer to the case %s by %s; give the file that was scored with --cases",
			printable.Short(s.Case), nameOf(scoring.AnswerID{By: run.By}))
	}
	if d.Answer.Err != nil && !inFile {
		return caseview.Input{}, d.Answer.Err
	}
	return caseview.Stored(ctx, w, d, run)
}

// run returns the run that scored the case, with the agent, version and batch of the answer. Several matching answers
// are a usage error.
func (s *Sought) run(ctx context.Context, w *store.Store) (run scoring.RunID, err error) {
	runs := []string{s.RunID}
	if s.RunID == "" {
		if runs, err = w.LatestRuns(ctx, latestRuns); err != nil {
			return run, err
		}
	}
	there := "; badger report --db URL --csv - lists the cases of the latest run"
	others := false
	for _, id := range runs {
		found, err := w.AnswersOfCase(ctx, id, s.Case)
		if err != nil {
			return run, err
		}
		if len(found) > 0 && !others {
			there, others = "; run "+printable.Short(id)+" has those of "+namesOf(found), true
		}
		found = slices.DeleteFunc(found, func(a scoring.AnswerID) bool { return !a.Matches(s.Of) })
		if len(found) > 1 {
			return run, errcode.Usage("run %s scored %s to the case: %s; choose one with --agent, --agent-version and --batch",
				printable.Short(id), printable.Count(len(found), "answer"), namesOf(found))
		}
		if len(found) == 1 {
			return scoring.RunID{ID: id, By: found[0].By}, nil
		}
	}
	asked := strings.Join(append([]string{"the case " + printable.Short(s.Case)}, s.Named...), ", ")
	if s.RunID == "" {
		return run, errcode.Usage("no run has scores of %s%s", asked, there)
	}
	rows, err := w.Runs(ctx, s.RunID)
	if err != nil {
		return run, err
	}
	if len(rows) > 0 || others {
		return run, errcode.Usage("run %s has no scores of %s%s", printable.Short(s.RunID), asked, there)
	}
	latest, err := w.LatestRuns(ctx, latestRuns)
	if err != nil {
		return run, err
	}
	return run, errcode.Usage("--run: run %s does not exist%s", printable.Short(s.RunID),
		scoring.SuggestOrList(s.RunID, latest))
}

// InFile reads the case from a file. source yields the cases of the file that match the pattern. None or several
// matching cases are a usage error.
func (s *Sought) InFile(ctx context.Context, source batch.Source, file string) (*scoring.Case, error) {
	var found []batch.Item
	var others []string
	for item, err := range source.Cases(ctx) {
		if err != nil {
			return nil, err
		}
		if !slices.Contains(others, item.CaseID) && len(others) < suggestedCases {
			others = append(others, item.CaseID)
		}
		if item.CaseID == s.Case {
			found = append(found, item)
		}
	}
	switch len(found) {
	case 0:
		return nil, errcode.Usage("--case: %s has no case %s%s", printable.Short(filepath.Base(file)),
			printable.Short(s.Case),
			scoring.SuggestOrList(s.Case, others))
	case 1:
		return found[0].Load(ctx)
	}
	var ids []scoring.AnswerID
	var places []string
	for _, item := range found {
		if places = append(places, item.Place); !slices.Contains(ids, item.AnswerID) {
			ids = append(ids, item.AnswerID)
		}
	}
	if len(ids) == 1 { // no flag chooses one of them
		return nil, errcode.Usage(
			"--cases: %[3]d lines with the same answer to the case %[1]s by %[2]s (%[4]s), expected one; remove the others",
			printable.Short(s.Case), nameOf(ids[0]), len(found), printable.Short(strings.Join(places, ", ")))
	}
	return nil, errcode.Usage(
		"--cases: there are %s to the case: %s; choose one with --agent, --agent-version and --batch",
		printable.Count(len(ids), "answer"), namesOf(ids))
}

// Scores reads the scores of a case from a score file, and the hash of the question and gold that they were computed
// for.
func Scores(ctx context.Context, file string, cs *scoring.Case) (scores []scoring.Score, goldHash string, err error) {
	if _, err := os.Stat(file); err != nil {
		return nil, "", errcode.NoFile("--scores: ", file)
	}
	id := cs.AnswerID()
	for r, err := range batch.ReadScores(ctx, file) {
		if err != nil {
			return nil, "", err
		}
		if r.AnswerID == id {
			scores, goldHash = append(scores, r.Score), r.GoldHash
		}
	}
	if len(scores) == 0 {
		return nil, "", errcode.Usage("--scores: %s has no scores of the case %s (%s)", printable.Short(filepath.Base(file)),
			printable.Short(cs.ID), nameOf(id))
	}
	return scores, goldHash, nil
}

// Compute computes the scores that explain an answer, and that of the metric more unless it is "".
func Compute(ctx context.Context, metrics []scoring.Metric, o scoring.EngineOptions, cs *scoring.Case,
	more string) ([]scoring.Score, error) {
	e, err := scoring.NewEngine(metrics, &o)
	if err != nil {
		return nil, err
	}
	names := []string{"hybrid_ex", "relation", "verdict", "counterexample"}
	if more != "" && !slices.Contains(names, more) {
		names = append(names, more)
	}
	scores, err := e.Score(ctx, cs, names...)
	if errcode.Of(err) == errcode.NotFound {
		return nil, errcode.AsUsage(err)
	}
	return scores, err
}

// nameOf returns the name of an answer's agent for messages, or a placeholder.
func nameOf(a scoring.AnswerID) string {
	return printable.Short(cmp.Or(a.Of(), "agent "+scoring.NoName))
}

func namesOf(list []scoring.AnswerID) string {
	var out []string
	for i, a := range list {
		if i == 5 {
			out = append(out, "…")
			break
		}
		out = append(out, nameOf(a))
	}
	return strings.Join(out, "; ")
}
