package site

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/cases"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/internal/submission"
	"github.com/badger-eval/badger/udf/identity"
)

// The page shows a submission: what was understood and what can be chosen before the run, then its progress and result.
var submissionPage = register(
	&page{name: "submission", pattern: "GET /submission", role: identity.Submit, show: (*Site).submission})

func submissionAddress(id string) string { return address("/submission", url.Values{"id": {id}}) }

type submissionView struct {
	submission.Submission
	Trouble  string // why the form was rejected; "": it was not
	State    stateWord
	Headline string
	Lead     string
	Before   int // other runs that come first
	Offer    submission.Offer
	Groups   []metricChoice
	Usual    int // metrics that are computed without a choice and without a judge
	Judged   int // and those that need one
	Lacks    []lack
	Results  []submittedRun
	Share    int64 // answers that are scored
	Of       int64
}

// metricChoice is the metrics of one group that can be chosen.
type metricChoice struct {
	Name    string
	Metrics []metricTick
}

type metricTick struct {
	submission.Metric
	Ticked bool
}

// lack is something that the cases lack, with the effect on the run.
type lack struct {
	What, Effect string
	Why          []string // reasons of the first rows
	More         int64    // rows whose reasons are not listed
	Wrong        bool     // rows that are not scored
}

// submittedRun is a part of the finished run that has an overview.
type submittedRun struct{ Address, Text string }

func (s *Site) submission(r *http.Request) (content, error) {
	desk, err := s.desk()
	if err != nil {
		return content{}, err
	}
	ctx := r.Context()
	one, before, err := desk.Get(submitter(ctx), r.URL.Query().Get("id"))
	if err != nil {
		return content{}, err
	}
	if t := rejectedIn(ctx); t != nil && one.Status == submission.Draft {
		one.Choice, one.Estimate = choiceOf(t.form), nil
	}
	v := submissionView{Submission: one, State: stateWordOf(one.Status), Before: before, Offer: desk.Offer(),
		Lacks: lacksOf(one.Understood, one.Tables != nil)}
	if t := rejectedIn(ctx); t != nil {
		v.Trouble = t.why
	}
	p := one.Progress
	v.Share, v.Of = p.Done+p.Skipped, max(p.Total, one.Understood.Answers)
	v.offered()
	if v.Results, err = s.resultsOf(ctx, &one); err != nil {
		return content{}, err
	}
	v.Headline, v.Lead = v.words()
	polls := one.Status == submission.Waiting || one.Status == submission.Running
	return content{Title: v.Headline, Page: &v, Poll: polls}, nil
}

// offered sets the metrics by group, in the order in which metrics are listed elsewhere.
func (v *submissionView) offered() {
	for _, m := range v.Offer.Metrics {
		if m.Default && !m.Judged {
			v.Usual++
		} else if m.Default {
			v.Judged++
		}
		i := slices.IndexFunc(v.Groups, func(g metricChoice) bool { return g.Name == m.Group })
		if i < 0 {
			i = len(v.Groups)
			v.Groups = append(v.Groups, metricChoice{Name: m.Group})
		}
		v.Groups[i].Metrics = append(v.Groups[i].Metrics, metricTick{m, slices.Contains(v.Choice.Metrics, m.Name)})
	}
}

// words returns the headline, which has the number that matters now, and a sentence after it.
func (v *submissionView) words() (headline, lead string) {
	u := v.Understood
	good := u.Answers - u.Duplicate.Rows - u.Unread.Rows
	scored := fmt.Sprintf("%s of %s", count(v.Share), things(v.Of, "answer"))
	switch v.Status {
	case submission.Draft:
		switch {
		case good == 0:
			return fmt.Sprintf("None of %s can be scored.", things(u.Answers, "answer")),
				"Correct the rows below, and submit them again. Nothing has run."
		case good < u.Answers:
			return fmt.Sprintf("%s of %s can be scored.", count(good), things(u.Answers, "answer")),
				"The others are listed below with their reasons. Nothing has run yet."
		}
		return fmt.Sprintf("%s to %s can be scored.", things(good, "answer"), things(u.Questions, "question")),
			"Nothing has run yet. Look at what was understood, choose, and start the run."
	case submission.Waiting:
		if v.Before == 0 {
			return "The run starts in a moment.", ""
		}
		return fmt.Sprintf("%s before this one.", things(v.Before, "run")), "Runs are scored one at a time."
	case submission.Running:
		if v.Stopping {
			return scored + " are scored.", "The run is being cancelled: answers in progress may finish."
		}
		return scored + " are scored.", "You can close this page: the run continues while badger view runs."
	case submission.Done:
		text := things(v.Share, "answer") + " " + printable.Verb(v.Share, "is", "are") + " scored."
		if v.Progress.Failed > 0 {
			return text, fmt.Sprintf("%s of them %s a score that failed. The result gives the reasons.",
				count(v.Progress.Failed), printable.Verb(v.Progress.Failed, "has", "have"))
		}
		return text, ""
	case submission.Cancelled:
		return "Cancelled after " + scored + ".", "Scores so far are stored. The uploaded file is deleted."
	case submission.Failed:
		return "The run failed after " + scored + ".", "Scores so far are stored. Remove the cause, and submit the cases again."
	}
	return "Interrupted after " + scored + ".", "Scores so far are stored. Resume the run to compute the others."
}

// lacksOf lists what the cases lack, what prevents scores first.
func lacksOf(u *cases.Examined, tables bool) (out []lack) {
	row := "line"
	if tables {
		row = "row"
	}
	refused := func(r cases.Refused, what, effect string) {
		if r.Rows > 0 {
			out = append(out, lack{what, effect, r.Why, r.Rows - int64(len(r.Why)), true})
		}
	}
	add := func(n int64, what, effect string) {
		if n > 0 {
			out = append(out, lack{What: what, Effect: effect})
		}
	}
	has := func(n int64) string { return printable.Verb(n, "has", "have") }
	refused(u.Unread, fmt.Sprintf("%s cannot be read", things(u.Unread.Rows, row)), "They are recorded as failed.")
	refused(u.Duplicate, fmt.Sprintf("%s given more than once", things(u.Duplicate.Rows, "answer")),
		"It is unknown which one is the answer, so none of them is scored.")
	partly := int64(0)
	for _, b := range u.Batches {
		if b.Missing > 0 {
			partly++
		}
	}
	effect := "Batches are compared on the questions that both answer."
	if tables {
		effect = "Questions without an answer count as wrong."
	}
	add(partly, fmt.Sprintf("%s %s not answer every question", things(partly, "batch"),
		printable.Verb(partly, "does", "do")), effect)
	add(u.NoAnswer, fmt.Sprintf("%s %s no query, result or response", things(u.NoAnswer, "answer"), has(u.NoAnswer)),
		"They do not pass.")
	add(u.NoGold, fmt.Sprintf("%s %s no gold answer", things(u.NoGold, "question"), has(u.NoGold)),
		"Metrics that compare with gold do not apply to them.")
	add(u.GoldUnrun,
		fmt.Sprintf("%s %s no result", things(u.GoldUnrun, "gold query"), has(u.GoldUnrun)),
		"Only metrics that compare the text of queries apply. Submitted runs execute no queries; badger run --execute does.")
	add(u.Unrun, fmt.Sprintf("%s of the agent %s neither a result nor an error",
		printable.Verb(u.Unrun, "1 query", count(u.Unrun)+" queries"), has(u.Unrun)), "Metrics that compare results do not apply.")
	for _, kind := range []string{"file", "table", "query", "unknown"} {
		n := u.Named[kind]
		what := fmt.Sprintf("%s named by a %s reference", things(n, "result"), kind)
		switch {
		case tables && kind != "unknown":
		case kind == "file":
			add(n, what, "Only files in the directories of results.files can be read. Other scores fail.")
		case kind == "unknown":
			add(n, fmt.Sprintf("%s that badger does not know", things(n, "reference")), "Scores that need the result fail.")
		default:
			add(n, what, "Only results that the section results of the configuration permits can be read. Other scores fail.")
		}
	}
	if r := u.Ignored; r.Rows > 0 {
		out = append(out, lack{What: fmt.Sprintf("%s with parts that are ignored", things(r.Rows, row)),
			Effect: "The rest of them is used.", Why: r.Why})
	}
	return out
}

// resultsOf returns the overviews of a submission's run: one for each agent, version and batch with scores.
func (s *Site) resultsOf(ctx context.Context, one *submission.Submission) (out []submittedRun, err error) {
	if one.Run == "" || !one.Status.Over() && one.Status != submission.Interrupted || s.o.Warehouse == nil {
		return nil, nil
	}
	rows, err := s.o.Warehouse.Runs(ctx, one.Run)
	for i := range rows {
		text := agentName(rows[i].Agent, rows[i].Version)
		if rows[i].Batch != "" {
			text += ", batch " + rows[i].Batch
		}
		out = append(out, submittedRun{runAddress(rows[i].RunID), text})
	}
	return out, err
}

// choiceOf returns the choice in a submitted form.
func choiceOf(form url.Values) submission.Choice {
	c := submission.Choice{Judge: form.Get("judge") == "1"}
	if form.Get("which") == "chosen" {
		c.Metrics = form["metric"]
	}
	if c.Judge {
		c.Budget = strings.TrimSpace(form.Get("budget"))
	}
	return c
}

// The address changes a submission: it estimates, starts, cancels, resumes or discards it.
var _ = register(
	&page{pattern: "POST /submission", role: identity.Submit,
		serve: func(s *Site, rw http.ResponseWriter, r *http.Request) error {
			desk, err := s.desk()
			if err != nil {
				return err
			}
			if err := readForm(rw, r); err != nil {
				return err
			}
			ctx, who, id := r.Context(), submitter(r.Context()), r.PostFormValue("id")
			to := submissionAddress(id)
			switch do := r.PostFormValue("do"); do {
			case "estimate", "start":
				c := choiceOf(r.PostForm)
				if r.PostFormValue("which") == "chosen" && len(c.Metrics) == 0 {
					err = errcode.New(errcode.InvalidArgument, "metrics: no metric is chosen; tick at least one, or take the usual metrics")
				} else if do == "start" {
					err = desk.Start(who, id, c)
				} else {
					err = desk.Choose(ctx, who, id, c)
				}
			case "cancel":
				err = desk.Cancel(who, id)
			case "resume":
				err = desk.Resume(who, id)
			case "discard":
				err, to = desk.Discard(who, id), submitAddress()
			default:
				err = errcode.New(errcode.InvalidArgument, "do: %.40q; expected estimate, start, cancel, resume or discard", do)
			}
			if err != nil {
				return s.showAgain(rw, r, submissionPage, submissionAddress(id), err)
			}
			return s.goTo(rw, r, to)
		}})
