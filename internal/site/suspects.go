package site

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/report"
	"github.com/badger-eval/badger/internal/storedscores"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
	"github.com/badger-eval/badger/udf/identity"
)

// The page lists questions whose accepted answer or wording may be wrong.
var _ = register(
	&page{name: "suspects", pattern: "GET /suspects", nav: "Suspect golds", place: 120, ofRun: true,
		inReport: (*staticPlan).one, role: identity.Read, show: (*Site).suspects})

const suspectsPerPage = 50

// suspectsAddress returns the address of a page of a run's suspect questions, of those with the given reason unless it
// is "".
func suspectsAddress(run scoring.RunID, reason string, page int) string {
	v := store.RunValues(run)
	if reason != "" {
		v.Set("reason", reason)
	}
	if page > 1 {
		v.Set("page", strconv.Itoa(page))
	}
	return address("/suspects", v)
}

type suspectsContent struct {
	EX                 string
	Cases, Answers     int
	Rejected           int
	Labelled, Accepted int
	AcceptedShare      string
	Reasons            []reasonRow
	Discordance        []discordanceRow
	Taxonomies         []failureKind
	Reason             string // reason of the listed questions; "": any
	AllAt              string
	All, First, Last   int
	Suspects           []suspectRow
	Previous, Next     string
	Notes              []string
	Docs               []reasonDoc
}

type reasonDoc struct{ Name, Of, Doc string }

// reasonRow counts the questions with a reason, and how the human labels of their rejected answers agree with it.
type reasonRow struct {
	Name      string
	By        string
	Cases     counted
	Answers   int
	Accepted  string
	Precision string
	Interval  string
	Recall    string
}

type discordanceRow struct {
	Metric, By string
	On         []string // for gold_x, amb_q, either and all
	Share      string
}

type suspectRow struct {
	ID       string
	Address  string
	Of       string
	Rejected string
	Accepted string
	Reasons  []string
}

func (s *Site) suspects(r *http.Request) (content, error) {
	v := r.URL.Query()
	run, reason := store.ParseRun(v), v.Get("reason")
	if run.ID == "" {
		return content{}, errcode.New(errcode.InvalidArgument, "run: missing, expected the run whose questions are shown")
	}
	at, err := pageNumber(v)
	if err != nil {
		return content{}, err
	}
	a, err := s.audit(r, run)
	if err != nil {
		return content{}, err
	}
	page := &suspectsContent{
		EX: a.EX, Cases: a.Cases, Answers: a.Answers, Rejected: a.Rejected, Labelled: a.Labelled, Accepted: a.Accepted,
		Reason: reason, AllAt: suspectsAddress(run, "", 1), Notes: a.Notes, AcceptedShare: dash,
	}
	if a.Labelled > 0 {
		page.AcceptedShare = share(float64(a.Accepted) / float64(a.Labelled))
	}
	for i := range a.Reasons {
		page.Reasons = append(page.Reasons, reasonOf(&a.Reasons[i], run))
	}
	page.Discordance = discordanceOf(a)
	for _, d := range analysis.AuditReasons {
		page.Docs = append(page.Docs, reasonDoc{d.Name, d.Of, d.Doc})
	}
	first := (at - 1) * suspectsPerPage
	for i := range a.Suspects {
		q := &a.Suspects[i]
		if reason != "" && !hasReason(q, reason) {
			continue
		}
		if page.All++; page.All > first && page.All <= first+suspectsPerPage {
			page.Suspects = append(page.Suspects, suspectOf(q, run))
		}
	}
	if n := len(page.Suspects); n > 0 {
		page.First, page.Last = first+1, first+n
		if at > 1 {
			page.Previous = suspectsAddress(run, reason, at-1)
		}
		if page.Last < page.All {
			page.Next = suspectsAddress(run, reason, at+1)
		}
	}
	if page.Taxonomies, err = s.taxonomies(r, run); err != nil {
		return content{}, err
	}
	return content{Title: "Suspect golds", Run: &run, Page: page}, nil
}

// audit collects the evidence against the accepted answers of a run's questions, from all runs that scored its batch.
func (s *Site) audit(r *http.Request, run scoring.RunID) (*analysis.Audit, error) {
	ctx := r.Context()
	src, err := s.scores()
	if err != nil {
		return nil, err
	}
	there, err := src.Metrics(ctx)
	if err != nil {
		return nil, err
	}
	ex := analysis.ChooseEX(there, "")
	labels, err := src.Labels(ctx)
	if err != nil {
		return nil, err
	}
	of := map[scoring.AnswerID]bool{} // of the run's answers
	for id, passes := range labels {
		if id.Agent == run.Agent && id.Version == run.Version && id.Batch == run.Batch {
			of[id] = passes
		}
	}
	more := 0
	a, err := analysis.NewAudit(analysis.AuditInput{
		EX: ex, Evidence: src.EvidenceOf(ctx, batchSide(run), append([]string{ex}, analysis.AuditMetrics...)), Labels: of,
		Others: src.Evidence(ctx, []string{ex}, scoring.AnswerID{}),
		Digests: func(cases []string) (map[scoring.AnswerID]analysis.Digest, error) {
			more = max(0, len(cases)-mostCompared)
			return src.Digests(ctx, cases[:len(cases)-more])
		},
	})
	if err == nil && more > 0 {
		a.Notes = append(a.Notes, fmt.Sprintf("the answers of other agents were compared for the first %d questions with a rejected answer; %d more were not checked (%s)", mostCompared, more, analysis.AgentsAgree))
	}
	return a, err
}

// mostCompared is the maximum number of questions for which a page compares the results of all agents.
const mostCompared = 500

// batchSide selects the latest scores of a run's batch over all runs that scored it.
func batchSide(run scoring.RunID) storedscores.Side {
	return storedscores.Side{RunID: scoring.RunID{By: run.By}}
}

// taxonomies returns the categories of FLEX with their counts in the run, without those of execution errors.
func (s *Site) taxonomies(r *http.Request, run scoring.RunID) ([]failureKind, error) {
	f, err := storedscores.In(s.o.Warehouse).Failures(r.Context(), sideOf(run), []string{"flex"})
	if err != nil {
		return nil, err
	}
	kinds := failureKinds(f, run)
	out := kinds[:0]
	for _, k := range kinds {
		if k.Kind != analysis.KindExecution {
			out = append(out, k)
		}
	}
	return out, nil
}

func hasReason(q *analysis.Suspect, reason string) bool {
	for _, r := range q.Reasons {
		if r.Reason == reason {
			return true
		}
	}
	return false
}

func reasonOf(m *analysis.Measured, run scoring.RunID) reasonRow {
	row := reasonRow{Name: m.Reason, By: m.By, Cases: counted{m.Cases, suspectsAddress(run, m.Reason, 1)}, Answers: m.N,
		Accepted: dash, Precision: share(m.Precision), Interval: dash, Recall: share(m.Recall)}
	switch {
	case m.Reason != "any":
	case m.Of == "any":
		row.Name, row.Cases.Address = "any reason", suspectsAddress(run, "", 1)
	default:
		row.Name, row.Cases.Address = "any of these reasons: "+m.Of, ""
	}
	if m.Labelled > 0 {
		row.Accepted = fmt.Sprintf("%d of %d", m.Accepted, m.Labelled)
		row.Interval = report.Percent(*m.Low) + " to " + report.Percent(*m.High)
	}
	return row
}

func discordanceOf(a *analysis.Audit) (out []discordanceRow) {
	heads := []string{analysis.GoldX, analysis.AmbQ, "either", "all"}
	for i := range a.Discordance {
		d := &a.Discordance[i]
		if n := len(out); n == 0 || out[n-1].Metric != d.Metric || out[n-1].By != d.By {
			out = append(out, discordanceRow{Metric: d.Metric, By: d.By, On: []string{dash, dash, dash, dash}, Share: dash})
		}
		row := &out[len(out)-1]
		for k, h := range heads {
			if h == d.On {
				row.On[k] = fmt.Sprintf("%d/%d %s", d.Differ, d.N, share(float64(d.Differ)/float64(d.N)))
			}
		}
		if d.On == "either" {
			row.Share = share(d.Share)
		}
	}
	return out
}

func suspectOf(q *analysis.Suspect, run scoring.RunID) suspectRow {
	row := suspectRow{ID: q.CaseID, Address: caseAddress(store.State{RunID: run, Mode: store.All}, q.CaseID), Of: q.Of,
		Rejected: fmt.Sprintf("%d of %d", q.Rejected, q.Answers), Accepted: dash}
	if q.Accepted != nil {
		row.Accepted = strconv.Itoa(*q.Accepted)
	}
	for _, r := range q.Reasons {
		text := r.Reason
		if len(r.By) > 0 {
			text += " (" + strings.Join(r.By, ", ") + ")"
		}
		row.Reasons = append(row.Reasons, text)
	}
	return row
}
