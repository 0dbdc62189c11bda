package analysis

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/badger-eval/badger/scoring"
)

func evidence(list []Evidence) iter.Seq2[Evidence, error] {
	return func(yield func(Evidence, error) bool) {
		for _, e := range list {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// said is a verdict of a metric and judge on an answer, with findings.
func said(id scoring.AnswerID, metric, judge string, passes bool, findings ...string) Evidence {
	s := verdict(id.CaseID, passes)
	s.Metric, s.Judge, s.Findings = metric, judge, findings
	return Evidence{AnswerID: id, Score: s}
}

func TestAudit(t *testing.T) {
	of := func(id, agent string) scoring.AnswerID {
		return scoring.AnswerID{CaseID: id, By: scoring.By{Agent: agent, Version: "1"}}
	}
	list := []Evidence{
		// c1: EX rejects what two of three judges and people accept; one calls gold wrong.
		said(of("c1", "x"), "ex", "", false), said(of("c1", "x"), "rose", "o3", true, "diagnosis:gold_x"), said(of("c1", "x"), "rose", "gemini", true), said(of("c1", "x"), "rose", "r1", false),
		// c2: one judge of two accepts; that is no majority.
		said(of("c2", "x"), "ex", "", false), said(of("c2", "x"), "rose", "o3", true, "diagnosis:amb_q"), said(of("c2", "x"), "flex", "gemini", false),
		// c3: EX accepts; the judge calls gold wrong all the same.
		said(of("c3", "x"), "ex", "", true), said(of("c3", "x"), "rose", "o3", false, "diagnosis:gold_x"),
		// c4: two agents agree against gold, a third does not.
		said(of("c4", "x"), "ex", "", false), said(of("c4", "y"), "ex", "", false), said(of("c4", "z"), "ex", "", false),
		// c5: gold alone spells a literal otherwise: it finds nothing.
		said(of("c5", "x"), "ex", "", false), said(of("c5", "x"), "relation", "", false, "relation:gold_empty", "relation:literal_case"),
		// c6: the same without an empty gold: one answer says nothing, two do.
		said(of("c6", "x"), "ex", "", false), said(of("c6", "x"), "relation", "", false, "relation:literal_form"),
		said(of("c7", "x"), "ex", "", false), said(of("c7", "x"), "relation", "", false, "relation:literal_form"),
		said(of("c7", "y"), "ex", "", false), said(of("c7", "y"), "relation", "", false, "relation:literal_case"),
		// c8: EX is not known.
		said(of("c8", "x"), "rose", "o3", true, "diagnosis:gold_x"),
	}
	yes, no := true, false
	in := AuditInput{
		EX: "ex", Evidence: evidence(list),
		Labels: map[scoring.AnswerID]bool{of("c1", "x"): yes, of("c2", "x"): no, of("c3", "x"): no, of("c4", "x"): yes, of("c4", "y"): no, of("c6", "x"): yes},
		Digests: func(cases []string) (map[scoring.AnswerID]Digest, error) {
			if want := []string{"c1", "c2", "c4", "c5", "c6", "c7"}; !slices.Equal(cases, want) { // those that EX rejects
				t.Errorf("asked for the answers to %v, want %v", cases, want)
			}
			return map[scoring.AnswerID]Digest{of("c4", "x"): {Rows: "d"}, of("c4", "y"): {Rows: "d"}, of("c4", "z"): {Rows: "e"}}, nil
		},
	}
	a, err := NewAudit(in)
	if err != nil {
		t.Fatal(err)
	}
	if a.Cases != 8 || a.Answers != 11 || a.Rejected != 9 || a.Labelled != 5 || a.Accepted != 3 {
		t.Errorf("%d cases, %d answers, %d rejected, %d labelled, %d accepted", a.Cases, a.Answers, a.Rejected, a.Labelled, a.Accepted)
	}
	var suspects []string
	for _, s := range a.Suspects {
		line := s.CaseID + " " + s.Of + ":"
		for _, r := range s.Reasons {
			line += fmt.Sprintf(" %s %v %d", r.Reason, r.By, r.Answers)
		}
		suspects = append(suspects, line)
	}
	slices.Sort(suspects)
	want := []string{
		"c1 wrong gold: gold_x [o3] 1 judges_contradict [gemini o3] 1", "c2 ambiguous: amb_q [o3] 1", "c3 wrong gold: gold_x [o3] 1", "c4 wrong gold: agents_agree [] 2",
		"c5 wrong gold: gold_literal [] 1 gold_empty [] 1", "c7 wrong gold: gold_literal [] 2", "c8 wrong gold: gold_x [o3] 1",
	}
	if !slices.Equal(suspects, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(suspects, "\n"), strings.Join(want, "\n"))
	}
	var measured []string
	for _, m := range a.Reasons {
		line := fmt.Sprintf("%s %s: %d cases, %d of %d", m.Reason, m.Of, m.Cases, m.Accepted, m.Labelled)
		if m.Recall != nil {
			line += fmt.Sprintf(", recall %.2f", *m.Recall)
		}
		measured = append(measured, line)
	}
	want = []string{
		"gold_x wrong gold: 3 cases, 1 of 1, recall 0.33", "judges_contradict wrong gold: 1 cases, 1 of 1, recall 0.33", "agents_agree wrong gold: 1 cases, 1 of 2, recall 0.33",
		"gold_literal wrong gold: 2 cases, 0 of 0, recall 0.00", "gold_empty wrong gold: 1 cases, 0 of 0, recall 0.00", "amb_q ambiguous: 1 cases, 0 of 1, recall 0.00",
		"any wrong gold: 6 cases, 2 of 3, recall 0.67", "any ambiguous: 1 cases, 0 of 1, recall 0.00", "any any: 7 cases, 2 of 4, recall 0.67",
	}
	if !slices.Equal(measured, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(measured, "\n"), strings.Join(want, "\n"))
	}
	for _, d := range a.Discordance {
		if d.Metric == "rose" && d.By == "o3" && d.On == "all" && (d.N != 3 || d.Differ != 3) {
			t.Errorf("EX and o3 differ on %d of %d, want 3 of 3", d.Differ, d.N)
		}
		if d.Metric == "rose" && d.By == "o3" && d.On == GoldX && (d.N != 2 || !near(*d.Share, 2.0/3, 1e-12)) {
			t.Errorf("gold_x: %+v", d)
		}
	}
	if notes := strings.Join(a.Notes, "\n"); !strings.Contains(notes, "1 answer without a verdict of ex") {
		t.Errorf("notes %q", notes)
	}
	in.Labels, in.Digests, in.Evidence = nil, nil, evidence(list)
	if a, err = NewAudit(in); err != nil || a.Reasons[0].Precision != nil || !strings.Contains(strings.Join(a.Notes, "\n"), "precision of the reasons is not known") || !strings.Contains(strings.Join(a.Notes, "\n"), "agents_agree") {
		t.Errorf("without labels and answers: %v %q", err, a.Notes)
	}
	if a, err = NewAudit(AuditInput{EX: "ex", Evidence: evidence(nil)}); err != nil || len(a.Suspects) > 0 || len(a.Notes) == 0 {
		t.Errorf("without scores: %v %+v", err, a)
	}
}

// lines reads a file of reference data, and skips if there is none.
func lines[T any](t *testing.T, name string) (out []T) {
	t.Helper()
	f, err := os.Open("../../../shared/data/" + name)
	if err != nil {
		t.Skip("no reference data at ../shared/data beside the project")
	}
	defer f.Close()
	r := bufio.NewScanner(f)
	r.Buffer(nil, 16<<20)
	for r.Scan() {
		var v T
		if err := json.Unmarshal(r.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	return out
}

// The audit on 397 answers that experts labelled, with the published verdicts of EX and the recorded
// replies of three judges. The expected counts were computed from the two files apart from this
// package.
func TestAuditOfRecordedReplies(t *testing.T) {
	type labelled struct {
		CaseID   string                       `json:"case_id"`
		Human    struct{ Label bool }         `json:"human"`
		Recorded struct{ Ex json.RawMessage } `json:"recorded"`
	}
	type reply struct {
		CaseID  string `json:"case_id"`
		Backend string
		Method  string
		Score   float64
		Refuter *struct {
			Ambiguity   string
			GoldCorrect bool `json:"gold_correct"`
		}
	}
	labels := map[scoring.AnswerID]bool{}
	var list []Evidence
	for _, c := range lines[labelled](t, "rosevec/cases.jsonl") {
		id := scoring.AnswerID{CaseID: c.CaseID}
		labels[id] = c.Human.Label
		ex := strings.HasPrefix(string(c.Recorded.Ex), "1") || string(c.Recorded.Ex) == "true"
		list = append(list, said(id, "ex", "", ex))
	}
	for _, r := range lines[reply](t, "rosevec/assessments.jsonl") {
		if r.Method != "rose" || !slices.Contains([]string{"o3", "gemini-2.5-pro", "deepseek-r1"}, r.Backend) {
			continue
		}
		var findings []string
		if r.Refuter != nil {
			if !r.Refuter.GoldCorrect {
				findings = append(findings, "diagnosis:gold_x")
			}
			if strings.Contains(r.Refuter.Ambiguity, "ambiguous question") {
				findings = append(findings, "diagnosis:amb_q")
			}
		}
		list = append(list, said(scoring.AnswerID{CaseID: r.CaseID}, "rose", r.Backend, r.Score == 1, findings...))
	}
	a, err := NewAudit(AuditInput{EX: "ex", Evidence: evidence(list), Labels: labels})
	if err != nil {
		t.Fatal(err)
	}
	if a.Rejected != 256 || a.Labelled != 256 || a.Accepted != 136 {
		t.Errorf("EX rejects %d, of which %d are labelled and %d accepted; want 256, 256 and 136", a.Rejected, a.Labelled, a.Accepted)
	}
	want := map[string][3]int{ // flagged, rejected by EX, accepted
		"gold_x deepseek-r1": {72, 56, 47}, "gold_x gemini-2.5-pro": {72, 59, 52}, "gold_x o3": {46, 37, 34}, "gold_x any": {110, 81, 67},
		"amb_q deepseek-r1": {68, 36, 30}, "amb_q gemini-2.5-pro": {28, 19, 16}, "amb_q o3": {24, 20, 20}, "amb_q any": {85, 51, 42},
		"judges_contradict ": {109, 109, 107}, "any wrong gold": {162, 133, 117}, "any ambiguous": {85, 51, 42}, "any any": {199, 141, 118},
	}
	for _, m := range a.Reasons {
		name := m.Reason + " " + m.By
		if m.Reason == "any" {
			name = "any " + m.Of
		}
		if got := [3]int{m.N, m.Labelled, m.Accepted}; got != want[name] {
			t.Errorf("%s: %v flagged, rejected and accepted, want %v", name, got, want[name])
		}
		delete(want, name)
	}
	if len(want) > 0 {
		t.Errorf("missing are %v", want)
	}
	// ROSE's Table 4: EX and ROSE differ far more often where the judge calls gold wrong (82.6 to
	// 90 %) or the question ambiguous (47.6 to 68.2 %) than elsewhere.
	share := map[string]float64{}
	for _, d := range a.Discordance {
		if d.By == "o3" {
			share[d.On] = float64(d.Differ) / float64(d.N)
		}
	}
	if share[GoldX] < 0.8 || share[AmbQ] < 0.5 || share["all"] > 0.4 {
		t.Errorf("discordance of o3: %v", share)
	}
}

// Two judges against two are no contradiction.
func TestMostJudgesMustContradict(t *testing.T) {
	id := scoring.AnswerID{CaseID: "c1"}
	list := []Evidence{said(id, "ex", "", false), said(id, "rose", "a", true), said(id, "rose", "b", true), said(id, "rose", "c", false), said(id, "rose", "d", false)}
	for n, want := range map[int]int{3: 1, 4: 1, 5: 0} { // two of two, two of three, two of four
		a, err := NewAudit(AuditInput{EX: "ex", Evidence: evidence(list[:n])})
		if err != nil || len(a.Suspects) != want {
			t.Errorf("%d judges: %v, %d suspects, want %d", n-1, err, len(a.Suspects), want)
		}
	}
	if a, err := NewAudit(AuditInput{EX: "ex", Evidence: evidence(append(list[1:4:4], said(id, "ex", "", true)))}); err != nil || len(a.Suspects) != 0 {
		t.Errorf("an answer that EX accepts: %v, %+v", err, a.Suspects)
	}
}

// Answers of agents that the evidence is not of speak against gold, too: of whoever gave the same result.
// The same version counts once, in however many batches.
func TestAgentsOfWhomNothingElseIsKnown(t *testing.T) {
	of := func(id, agent, batch string) scoring.AnswerID {
		return scoring.AnswerID{CaseID: id, By: scoring.By{Agent: agent, Version: "1", Batch: batch}}
	}
	in := AuditInput{
		EX: "ex",
		Evidence: evidence([]Evidence{
			said(of("c1", "x", "b"), "ex", "", false), said(of("c2", "x", "b"), "ex", "", false), said(of("c3", "x", "b"), "ex", "", false), said(of("c4", "x", "b"), "ex", "", true),
		}),
		Digests: func([]string) (map[scoring.AnswerID]Digest, error) {
			return map[scoring.AnswerID]Digest{
				of("c1", "x", "b"): {Rows: "d"}, of("c1", "y", "other"): {Rows: "d"},
				of("c2", "x", "b"): {Rows: "d"}, of("c2", "x", "again"): {Rows: "d"},
				of("c3", "x", "b"): {Rows: "d"}, of("c3", "y", "other"): {Rows: "e"}, of("c3", "z", "other"): {Rows: "e"},
				of("c4", "x", "b"): {Rows: "d"}, of("c4", "y", "other"): {Rows: "d"},
			}, nil
		},
	}
	a, err := NewAudit(in)
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Suspects) != 1 || a.Suspects[0].CaseID != "c1" || a.Suspects[0].Reasons[0].Reason != AgentsAgree || a.Answers != 4 || len(a.Notes) > 1 {
		t.Errorf("%+v, want c1 alone, where two agents agree", a)
	}
}

// Versions of one agent agree only if their SQL differs, in however many batches they answered.
func TestVersionsWithTheSameSQLDoNotAgree(t *testing.T) {
	of := func(agent, version, batch string) scoring.AnswerID {
		return scoring.AnswerID{CaseID: "c1", By: scoring.By{Agent: agent, Version: version, Batch: batch}}
	}
	for _, tc := range []struct {
		why   string
		other scoring.AnswerID
		sql   string
		agree bool
	}{
		{"another night", of("x", "1", "n2"), "select 2", false},
		{"a version with the same SQL", of("x", "2", "n2"), "select 1", false},
		{"a version with other SQL", of("x", "2", "n2"), "select 2", true},
		{"a version with unknown SQL", of("x", "2", "n2"), "", true},
		{"another agent with the same SQL", of("y", "1", "n2"), "select 1", true},
	} {
		a, err := NewAudit(AuditInput{EX: "ex", Evidence: evidence([]Evidence{said(of("x", "1", "n1"), "ex", "", false)}),
			Digests: func([]string) (map[scoring.AnswerID]Digest, error) {
				return map[scoring.AnswerID]Digest{of("x", "1", "n1"): {"d", "select 1"}, tc.other: {"d", tc.sql}}, nil
			}})
		if err != nil || (len(a.Suspects) == 1) != tc.agree {
			t.Errorf("%s: %v %+v", tc.why, err, a)
		}
	}
}

// An answer of another batch that EX accepts does not speak against gold, even if its rows are those of a rejected one
// but for the order of the columns: the audit of one batch and that of all give the same reasons.
func TestAcceptedAnswersDoNotSpeakAgainstGold(t *testing.T) {
	of := func(version string) scoring.AnswerID {
		return scoring.AnswerID{CaseID: "c1", By: scoring.By{Agent: "x", Version: version, Batch: "b" + version}}
	}
	digests := func([]string) (map[scoring.AnswerID]Digest, error) {
		return map[scoring.AnswerID]Digest{of("1"): {"d", "select a, b"}, of("2"): {"d", "select b, a"}}, nil
	}
	for _, accepted := range []bool{true, false} {
		all := []Evidence{said(of("1"), "ex", "", accepted), said(of("2"), "ex", "", false)}
		whole, err := NewAudit(AuditInput{EX: "ex", Evidence: evidence(all), Digests: digests})
		if err != nil {
			t.Fatal(err)
		}
		one, err := NewAudit(AuditInput{EX: "ex", Evidence: evidence(all[1:]), Others: evidence(all), Digests: digests})
		if err != nil {
			t.Fatal(err)
		}
		if want := !accepted; len(whole.Suspects) == 1 != want || len(one.Suspects) == 1 != want {
			t.Errorf("the other accepted: %t: %d suspects over all batches, %d of one, want suspect: %t",
				accepted, len(whole.Suspects), len(one.Suspects), want)
		}
	}
	broken := errors.New("broken")
	_, err := NewAudit(AuditInput{EX: "ex", Evidence: evidence([]Evidence{said(of("2"), "ex", "", false)}), Digests: digests,
		Others: func(yield func(Evidence, error) bool) { yield(Evidence{}, broken) }})
	if !errors.Is(err, broken) {
		t.Errorf("an error of the other scores: %v", err)
	}
}

// The note about answers that the reasons are not measured on says why each has no verdict.
func TestWhyAnswersHaveNoVerdict(t *testing.T) {
	score := func(status scoring.Status, reason string) Score {
		return Score{CaseID: "c", Metric: "ex", Status: status, Reason: reason}
	}
	judged := score(scoring.StatusOK, "")
	passed := true
	judged.Passed = &passed
	var list []Evidence
	for i, s := range []Score{
		judged, score(scoring.StatusFailed, "question c1 has 2 rows, expected one"), score(scoring.StatusFailed, "no JSON"), score(scoring.StatusNotApplicable, scoring.NoAnswer),
		score(scoring.StatusNotApplicable, "no gold result given"), {CaseID: "c", Metric: "rose", Status: scoring.StatusNotApplicable},
	} {
		list = append(list, Evidence{scoring.AnswerID{CaseID: fmt.Sprint("c", i), By: scoring.By{Agent: "a"}}, s})
	}
	a, err := NewAudit(AuditInput{EX: "ex", Evidence: func(yield func(Evidence, error) bool) {
		for _, e := range list {
			if !yield(e, nil) {
				return
			}
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if want := "5 answers without a verdict of ex (not applicable 1, no answer 1, failed score 2, no score 1)"; !strings.Contains(strings.Join(a.Notes, "\n"), want) {
		t.Errorf("notes %q, want %q", a.Notes, want)
	}
}
