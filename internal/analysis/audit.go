package analysis

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/agreement"
)

// Reasons for which the gold query or the question is suspect.
const (
	GoldX            = "gold_x"
	goldFLEX         = "gold_flex"
	goldError        = "gold_error"
	goldEmpty        = "gold_empty"
	goldLiteral      = "gold_literal"
	GoldLogic        = "gold_logic"
	JudgesContradict = "judges_contradict"
	AgentsAgree      = "agents_agree"
	AmbQ             = "amb_q"
	ambSchema        = "amb_schema"
	ambFLEX          = "amb_flex"
)

// What a reason is evidence for.
const (
	wrongGold = "wrong gold"
	ambiguous = "ambiguous"
)

// AuditReasons lists the reasons in the order of reports.
var AuditReasons = []struct{ Name, Of, Doc string }{
	{GoldX, wrongGold, "the Refuter of ROSE calls the gold query wrong"},
	{goldFLEX, wrongGold, "FLEX finds the ground truth incorrect"},
	{JudgesContradict, wrongGold, "two judges or more, and most of them, accept an answer that EX rejects"},
	{AgentsAgree, wrongGold, "two agents or more, or versions whose SQL differs, give the same result, and EX rejects it"},
	{goldLiteral, wrongGold, "the gold query spells a literal otherwise than the question or the values"},
	{goldEmpty, wrongGold, "the gold result is empty or all NULL, and an answer's is not"},
	{GoldLogic, wrongGold, "the gold query contradicts the question, or has a clause without effect"},
	{goldError, wrongGold, "the gold query failed"},
	{AmbQ, ambiguous, "the Refuter of ROSE calls the question ambiguous"},
	{ambSchema, ambiguous, "the Refuter of ROSE calls the schema ambiguous"},
	{ambFLEX, ambiguous, "FLEX finds several answers available"},
}

// relationReasons maps relations between two results and queries to the reason that they are evidence for.
var relationReasons = map[string]string{
	"gold_empty": goldEmpty, "gold_literal_foreign": goldLiteral, "gold_vacuous_limit": GoldLogic,
	"gold_vacuous_having": GoldLogic,
	"gold_ungrouped":      GoldLogic, "gold_and_for_or": GoldLogic, "gold_sort_against_question": GoldLogic,
}

// AuditMetrics are the metrics, next to EX, whose scores an audit reads.
var AuditMetrics = []string{"rose", "flex", "verdict", "relation"}

// Evidence is a score of an answer. An answer may have several scores of a metric, by different judges.
type Evidence struct {
	scoring.AnswerID
	Score
}

// AuditInput is the input of an audit.
type AuditInput struct {
	EX       string // the metric of execution accuracy
	Evidence iter.Seq2[Evidence, error]
	Labels   map[scoring.AnswerID]bool // human labels
	// Digests returns digests of the results and the SQL of all answers to some questions, including answers of agents
	// without evidence. It may be nil or return nil if the results are unknown.
	Digests func(cases []string) (map[scoring.AnswerID]Digest, error)
	// Others yields the scores of EX of all answers, also those that Evidence leaves out: one that EX accepts does not
	// speak against gold, even if its rows, in another order of columns, are those of a rejected one. It is read only if
	// such an answer could. Nil if Evidence leaves none out.
	Others iter.Seq2[Evidence, error]
}

// Audit lists the questions whose gold query or wording is suspect (ROSE, section 6.2.3).
type Audit struct {
	EX       string `json:"ex"`
	Cases    int    `json:"cases"`
	Answers  int    `json:"answers"`
	Rejected int    `json:"ex_rejects"`          // answers that EX rejects
	Labelled int    `json:"ex_rejects_labelled"` // answers of Rejected with a human label
	Accepted int    `json:"ex_rejects_accepted"` // answers of Rejected that humans accept: errors of EX

	Reasons     []Measured    `json:"reasons"`
	Discordance []Discordance `json:"discordance,omitempty"`
	Suspects    []Suspect     `json:"suspects"` // those with most reasons first
	// gold queries whose result does not only depend on the data; nil: not examined
	Golds *Golds `json:"golds,omitempty"`
	// cases that pass with all versions, by the primary metric; nil: not examined
	Saturated *Saturation `json:"saturated,omitempty"`
	Notes     []string    `json:"notes,omitempty"`
}

// Measured measures how well a reason predicts that EX errs: its precision is the share of humanly accepted answers
// among the flagged and labelled ones that EX rejects.
type Measured struct {
	Reason string `json:"reason"` // or "any": any reason of the kind Of
	Of     string `json:"of"`     // wrong gold, ambiguous, or any
	By     string `json:"by,omitempty"`
	Cases  int    `json:"cases"`   // number of questions with a flagged answer
	N      int    `json:"answers"` // number of flagged answers

	Labelled  int      `json:"labelled"` // flagged answers that EX rejects and that have a label
	Accepted  int      `json:"accepted"` // answers of Labelled that humans accept
	Precision *float64 `json:"precision"`
	Low       *float64 `json:"precision_low,omitempty"` // 95 % Wilson interval
	High      *float64 `json:"precision_high,omitempty"`
	Recall    *float64 `json:"recall"` // flagged share of all answers that EX rejects and humans accept
}

// Discordance counts how often EX and another metric's verdict differ (ROSE, Table 4).
type Discordance struct {
	Metric string `json:"metric"`
	By     string `json:"by,omitempty"`
	On     string `json:"on"` // which answers: gold_x, amb_q, either, or all
	N      int    `json:"n"`
	Differ int    `json:"differ"`
	// Share is the share of all differing answers that have this reason (ROSE, Figure 4).
	Share *float64 `json:"share_of_discordant"`
}

// Suspect is a suspect question with its reasons.
type Suspect struct {
	CaseID  string          `json:"case_id"`
	Of      string          `json:"of"` // "wrong gold" if any reason is evidence for it, else "ambiguous"
	Reasons []SuspectReason `json:"reasons"`
	Answers int             `json:"answers"`
	// Rejected is the number of answers that EX rejects, Accepted the number of these that humans accept; nil without
	// labels.
	Rejected int  `json:"ex_rejects"`
	Accepted *int `json:"accepted"`
}

// SuspectReason is one reason with the judges and the number of answers that give it.
type SuspectReason struct {
	Reason  string   `json:"reason"`
	By      []string `json:"by,omitempty"` // the judges that give it
	Answers int      `json:"answers"`
}

// evidenceOf is the evidence about one answer.
type evidenceOf struct {
	ex      mark
	label   *bool
	votes   map[voter]bool             // verdict by metric and judge; may be nil
	reasons map[string]map[string]bool // by reason: the judges that give it; "" means rules
	literal bool                       // a literal is spelled otherwise than in gold
}

type voter struct{ metric, judge string }

// NewAudit audits the questions of the evidence. It returns the error of the evidence or of in.Digests.
func NewAudit(in AuditInput) (*Audit, error) {
	answers := map[scoring.AnswerID]*evidenceOf{}
	for e, err := range in.Evidence {
		if err != nil {
			return nil, err
		}
		a := answers[e.AnswerID]
		if a == nil {
			a = &evidenceOf{}
			answers[e.AnswerID] = a
		}
		a.add(in.EX, &e.Score)
	}
	for id, a := range answers {
		if passes, ok := in.Labels[id]; ok {
			a.label = &passes
		} else if passes, ok := in.Labels[scoring.AnswerID{CaseID: id.CaseID,
			By: scoring.By{Agent: id.Agent, Version: id.Version}}]; ok {
			a.label = &passes
		}
	}
	x := auditing{answers: answers, byCase: map[string][]scoring.AnswerID{}}
	for id := range answers {
		x.byCase[id.CaseID] = append(x.byCase[id.CaseID], id)
	}
	digests, err := x.digests(&in)
	if err != nil {
		return nil, err
	}
	others := map[string][]scoring.AnswerID{} // answers without evidence
	for id := range digests {
		if answers[id] == nil {
			others[id.CaseID] = append(others[id.CaseID], id)
		}
	}
	if err := in.withoutAccepted(others); err != nil {
		return nil, err
	}
	for id, ids := range x.byCase {
		slices.SortFunc(ids, compareAnswers)
		x.across(ids, others[id], digests)
	}
	return x.audit(&in, digests != nil), nil
}

// withoutAccepted removes the answers that EX accepts from the answers without evidence, by case.
func (in *AuditInput) withoutAccepted(others map[string][]scoring.AnswerID) error {
	if in.Others == nil || len(others) == 0 {
		return nil
	}
	for e, err := range in.Others {
		if err != nil {
			return err
		}
		if e.Metric == in.EX && markOf(&e.Score).passed() {
			id := e.AnswerID
			others[id.CaseID] = slices.DeleteFunc(others[id.CaseID], func(o scoring.AnswerID) bool { return o == id })
		}
	}
	return nil
}

// digests returns the digests of all answers to questions with an answer that EX rejects.
func (x *auditing) digests(in *AuditInput) (map[scoring.AnswerID]Digest, error) {
	if in.Digests == nil {
		return nil, nil
	}
	cases := map[string]bool{}
	for id, a := range x.answers {
		if a.rejected() {
			cases[id.CaseID] = true
		}
	}
	return in.Digests(slices.SortedFunc(maps.Keys(cases), printable.CompareNatural))
}

func compareAnswers(a, b scoring.AnswerID) int {
	return cmp.Or(printable.CompareNatural(a.CaseID, b.CaseID), printable.CompareNatural(a.Agent, b.Agent),
		printable.CompareVersions(a.Version, b.Version), printable.CompareNatural(a.Batch, b.Batch))
}

func (a *evidenceOf) because(reason, by string) {
	if a.reasons == nil {
		a.reasons = map[string]map[string]bool{}
	}
	if a.reasons[reason] == nil {
		a.reasons[reason] = map[string]bool{}
	}
	a.reasons[reason][by] = true
}

func (a *evidenceOf) add(ex string, s *Score) {
	m := markOf(s)
	if s.Metric == ex {
		a.ex = m
		if s.Status == scoring.StatusNotApplicable && s.Reason == scoring.GoldFailed {
			a.because(goldError, "")
		}
		return
	}
	if m.judged() && s.Metric != "relation" {
		if a.votes == nil {
			a.votes = map[voter]bool{}
		}
		a.votes[voter{s.Metric, s.Judge}] = m.passed()
	}
	empty := slices.Contains(s.Findings, KindRelation+":gold_empty")
	for _, f := range s.Findings {
		kind, label, _ := strings.Cut(f, ":")
		switch {
		case kind == KindDiagnosis:
			a.because(label, s.Judge)
		case kind == KindDifference && label == "incorrect_ground_truth_query":
			a.because(goldFLEX, s.Judge)
		case kind == KindDifference && label == "multiple_answers_available":
			a.because(ambFLEX, s.Judge)
		case kind == KindRelation && relationReasons[label] != "":
			a.because(relationReasons[label], "")
		case kind == KindRelation && (label == "literal_case" || label == "literal_form"):
			a.literal = true
			if empty {
				a.because(goldLiteral, "")
			}
		}
	}
}

func (a *evidenceOf) rejected() bool { return a.ex.judged() && !a.ex.passed() }

type auditing struct {
	answers map[scoring.AnswerID]*evidenceOf
	byCase  map[string][]scoring.AnswerID
}

// across adds reasons to the answers ids to one question that need several judges or answers. others are answers to
// it with only a digest: one that equals a rejected answer counts as another agent with that result.
func (x *auditing) across(ids, others []scoring.AnswerID, digests map[scoring.AnswerID]Digest) {
	type version struct{ agent, version string }
	type voice struct {
		version
		sql string
	}
	same, literal := map[string]map[voice]bool{}, map[version]bool{} // same: by the rows
	agrees := func(id scoring.AnswerID) {
		if d := digests[id]; d.Rows != "" {
			if same[d.Rows] == nil {
				same[d.Rows] = map[voice]bool{}
			}
			same[d.Rows][voice{version{id.Agent, id.Version}, d.SQL}] = true
		}
	}
	// several reports whether two voices are of different agents, or of versions whose SQL differs: batches of one
	// version, and versions that wrote the same, are one voice.
	several := func(voices map[voice]bool) bool {
		for a := range voices {
			for b := range voices {
				if a.agent != b.agent || a.version != b.version && (a.sql != b.sql || a.sql == "") {
					return true
				}
			}
		}
		return false
	}
	for _, id := range others {
		agrees(id)
	}
	for _, id := range ids {
		a := x.answers[id]
		if !a.rejected() {
			continue
		}
		if yes, no := a.opinions(); len(yes) >= 2 && len(yes) > no {
			for _, judge := range yes {
				a.because(JudgesContradict, judge)
			}
		}
		agrees(id)
		if a.literal {
			literal[version{id.Agent, id.Version}] = true
		}
	}
	for _, id := range ids {
		a := x.answers[id]
		if !a.rejected() {
			continue
		}
		if several(same[digests[id].Rows]) {
			a.because(AgentsAgree, "")
		}
		if a.literal && len(literal) >= 2 {
			a.because(goldLiteral, "")
		}
	}
}

// opinions returns the judges that accept the answer, and the number of judges that reject it. Of each judge it uses
// the verdict of ROSE, or else of FLEX.
func (a *evidenceOf) opinions() (yes []string, no int) {
	of := map[string]bool{}
	for _, metric := range []string{"flex", "rose"} { // the last one takes precedence
		for v, passes := range a.votes {
			if v.metric == metric {
				of[v.judge] = passes
			}
		}
	}
	for _, judge := range slices.Sorted(maps.Keys(of)) {
		if of[judge] {
			yes = append(yes, judge)
		} else {
			no++
		}
	}
	return yes, no
}

func (x *auditing) audit(in *AuditInput, read bool) *Audit {
	out := &Audit{EX: in.EX, Cases: len(x.byCase), Answers: len(x.answers), Suspects: []Suspect{}}
	noEX, why := 0, map[mark]int{}
	for _, a := range x.answers {
		if !a.ex.judged() {
			noEX++
			why[a.ex.status()]++
		}
		if !a.rejected() {
			continue
		}
		out.Rejected++
		if a.label != nil {
			out.Labelled++
			if *a.label {
				out.Accepted++
			}
		}
	}
	x.measure(out)
	x.discord(out)
	x.suspects(out)
	switch {
	case len(x.answers) == 0:
		out.Notes = append(out.Notes,
			"nothing to audit: there are no scores of any of "+in.EX+", "+strings.Join(AuditMetrics, ", "))
	case out.Labelled == 0:
		out.Notes = append(out.Notes,
			"no answer that "+in.EX+" rejects is labelled: the precision of the reasons is not known")
	}
	if noEX > 0 {
		out.Notes = append(out.Notes,
			printable.Count(noEX, "answer")+" without a verdict of "+in.EX+" ("+withoutVerdict(why)+
				"): their reasons are listed, but they are not in the percentages")
	}
	if !read && len(x.answers) > 0 {
		out.Notes = append(out.Notes,
			"the answers themselves were not read: whether several agents give the same result ("+AgentsAgree+") is not known")
	}
	return out
}

// withoutVerdict describes how many answers have no verdict, by the reason in n.
func withoutVerdict(n map[mark]int) string {
	var out []string
	for _, of := range []struct {
		status mark
		said   string
	}{
		{notApplicable, "not applicable"}, {unanswered, "no answer"}, {failed, "failed score"}, {abstained, "abstained"},
		{scored, "no threshold"}, {absent, "no score"},
	} {
		if n[of.status] > 0 {
			out = append(out, of.said+" "+strconv.Itoa(n[of.status]))
		}
	}
	return strings.Join(out, ", ")
}

// ofReason returns what a reason is evidence for.
func ofReason(name string) string {
	for _, r := range AuditReasons {
		if r.Name == name {
			return r.Of
		}
	}
	return ""
}

// measure computes the precision of each reason against labels, for each judge and for all.
func (x *auditing) measure(out *Audit) {
	row := func(reason, of, by string, flags func(*evidenceOf) bool) {
		m := Measured{Reason: reason, Of: of, By: by}
		cases := map[string]bool{}
		for id, a := range x.answers {
			if !flags(a) {
				continue
			}
			m.N++
			cases[id.CaseID] = true
			if a.rejected() && a.label != nil {
				m.Labelled++
				if *a.label {
					m.Accepted++
				}
			}
		}
		if m.Cases = len(cases); m.N == 0 {
			return
		}
		if m.Labelled > 0 {
			m.Precision = ratio(m.Accepted, m.Labelled)
			in := agreement.Wilson(m.Accepted, m.Labelled, agreement.DefaultLevel)
			m.Low, m.High = &in.Lo, &in.Hi
		}
		if out.Accepted > 0 {
			m.Recall = ratio(m.Accepted, out.Accepted)
		}
		out.Reasons = append(out.Reasons, m)
	}
	for _, r := range AuditReasons {
		judges := map[string]bool{}
		for _, a := range x.answers {
			for j := range a.reasons[r.Name] {
				judges[j] = true
			}
		}
		if len(judges) > 1 && r.Name != JudgesContradict {
			for _, j := range slices.Sorted(maps.Keys(judges)) {
				row(r.Name, r.Of, j, func(a *evidenceOf) bool { return a.reasons[r.Name][j] })
			}
			row(r.Name, r.Of, "any", func(a *evidenceOf) bool { return len(a.reasons[r.Name]) > 0 })
			continue
		}
		by := ""
		for j := range judges {
			by = j
		}
		if r.Name == JudgesContradict {
			by = ""
		}
		row(r.Name, r.Of, by, func(a *evidenceOf) bool { return len(a.reasons[r.Name]) > 0 })
	}
	for _, of := range []string{wrongGold, ambiguous, "any"} {
		row("any", of, "", func(a *evidenceOf) bool {
			for reason := range a.reasons {
				if of == "any" || ofReason(reason) == of {
					return true
				}
			}
			return false
		})
	}
}

// discord counts how often EX and each other verdict differ, on suspect questions and on all.
func (x *auditing) discord(out *Audit) {
	voters := map[voter]bool{}
	for _, a := range x.answers {
		for v := range a.votes {
			voters[v] = true
		}
	}
	sorted := slices.SortedFunc(maps.Keys(voters), func(a, b voter) int {
		return cmp.Or(slices.Index(AuditMetrics, a.metric)-slices.Index(AuditMetrics, b.metric),
			strings.Compare(a.judge, b.judge))
	})
	for _, v := range sorted {
		own := false // whether the judge gives diagnoses itself
		for _, a := range x.answers {
			own = own || a.reasons[GoldX][v.judge] || a.reasons[AmbQ][v.judge]
		}
		has := func(a *evidenceOf, reason string) bool {
			if own {
				return a.reasons[reason][v.judge]
			}
			return len(a.reasons[reason]) > 0
		}
		rows := []Discordance{{On: GoldX}, {On: AmbQ}, {On: "either"}, {On: "all"}}
		for _, a := range x.answers {
			passes, voted := a.votes[v]
			if !voted || !a.ex.judged() {
				continue
			}
			g, q := has(a, GoldX), has(a, AmbQ)
			for i, is := range []bool{g, q, g || q, true} {
				if !is {
					continue
				}
				rows[i].N++
				if passes != a.ex.passed() {
					rows[i].Differ++
				}
			}
		}
		for _, r := range rows {
			if r.N == 0 {
				continue
			}
			r.Metric, r.By = v.metric, v.judge
			if whole := rows[3].Differ; whole > 0 {
				r.Share = ratio(r.Differ, whole)
			}
			out.Discordance = append(out.Discordance, r)
		}
	}
}

// suspects adds the questions with at least one reason to out.
func (x *auditing) suspects(out *Audit) {
	for id, answers := range x.byCase {
		s := Suspect{CaseID: id, Of: ambiguous, Answers: len(answers)}
		labelled, accepted := false, 0
		for _, a := range answers {
			if e := x.answers[a]; e.rejected() {
				s.Rejected++
				if e.label != nil {
					labelled = true
					if *e.label {
						accepted++
					}
				}
			}
		}
		if labelled {
			s.Accepted = &accepted
		}
		for _, r := range AuditReasons {
			reason := SuspectReason{Reason: r.Name}
			judges := map[string]bool{}
			for _, a := range answers {
				if by := x.answers[a].reasons[r.Name]; len(by) > 0 {
					reason.Answers++
					maps.Copy(judges, by)
				}
			}
			if reason.Answers == 0 {
				continue
			}
			delete(judges, "")
			reason.By = slices.Sorted(maps.Keys(judges))
			s.Reasons = append(s.Reasons, reason)
			if r.Of == wrongGold {
				s.Of = wrongGold
			}
		}
		if len(s.Reasons) > 0 {
			out.Suspects = append(out.Suspects, s)
		}
	}
	weight := func(s *Suspect) (n int) {
		for _, r := range s.Reasons {
			n += max(1, len(r.By))
		}
		return n
	}
	slices.SortFunc(out.Suspects, func(a, b Suspect) int {
		return cmp.Or(-strings.Compare(a.Of, b.Of), cmp.Compare(len(b.Reasons), len(a.Reasons)),
			cmp.Compare(weight(&b), weight(&a)), printable.CompareNatural(a.CaseID, b.CaseID))
	})
}
