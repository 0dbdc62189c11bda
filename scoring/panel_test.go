package scoring_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/scoring"
)

// says is a judge that gives one reply, or one error.
type says struct {
	name, reply string
	err         error
	asked       []judgebackend.Request
}

func (s *says) Identity() judgebackend.Identity {
	return judgebackend.Identity{Backend: "openai", Model: s.name}
}

func (s *says) Complete(_ context.Context, r judgebackend.Request) (judgebackend.Response, error) {
	s.asked = append(s.asked, r)
	if s.err != nil {
		return judgebackend.Response{}, s.err
	}
	return judgebackend.Response{Reply: s.reply, FinishReason: judgebackend.FinishStop, TokensIn: 10, TokensOut: 1, AssessmentID: "of-" + s.name}, nil
}

var (
	away    = &judgebackend.Error{Kind: judgebackend.KindServer}
	noMoney = &judgebackend.Error{Kind: judgebackend.KindBudget}
	refuses = &judgebackend.Error{Kind: judgebackend.KindRefused}
)

// seated is a judge that replies with a value, a label or a word for another outcome.
func seated(name, what string) *says {
	j := &says{name: name}
	switch what {
	case "away":
		j.err = away
	case "broke":
		j.err = noMoney
	case "refuses":
		j.err = refuses
	case "abstains", "outside", "unusable":
		j.reply = fmt.Sprintf(`{"what": %q}`, what)
	default:
		value, rest, _ := strings.Cut(what, " ")
		if value[0] >= 'a' {
			j.reply = fmt.Sprintf(`{"label": %q}`, value)
		} else {
			j.reply = `{"value": ` + value + `}`
		}
		if rest != "" {
			j.reply = strings.TrimSuffix(j.reply, "}") + `, "confidence": ` + rest + "}"
		}
	}
	return j
}

// judgedBy is a metric whose score is what the judge replies.
func judgedBy(name string, with func(*scoring.Metric)) scoring.Metric {
	m := scoring.Metric{Name: name, Version: 7, Needs: scoring.FieldJudge, Score: func(ctx context.Context, in *scoring.Input) (scoring.Score, error) {
		var reply struct {
			Value      float64  `json:"value"`
			Label      string   `json:"label"`
			What       string   `json:"what"`
			Confidence *float64 `json:"confidence"`
		}
		if err := in.Ask(ctx, judgebackend.Request{
			Purpose: name, Messages: []judgebackend.Message{{Role: judgebackend.User, Content: "?"}}, Schema: json.RawMessage(`{"type":"object"}`),
		}, &reply); err != nil {
			return scoring.Score{}, err
		}
		switch reply.What {
		case "abstains":
			return scoring.Abstain("unsure"), nil
		case "outside":
			return scoring.NotApplicable("outside"), nil
		case "unusable":
			return scoring.Score{}, errcode.New(errcode.DataLoss, "judge reply: makes no sense")
		}
		s := scoring.OK(reply.Value, "by "+in.JudgeModel(name))
		s.Label = reply.Label
		s.Detail = map[string]any{"by": in.JudgeModel(name), "confidence": reply.Confidence}
		return s, nil
	}}
	if with != nil {
		with(&m)
	}
	return m
}

func verdictFrom(threshold float64) func(*scoring.Metric) {
	return func(m *scoring.Metric) { m.Threshold = &threshold }
}

// panelOf returns a panel of judges a, b, c, …; the last is the arbiter under the rule escalation.
func panelOf(t *testing.T, p scoring.Panel, judges ...*says) *scoring.Panel {
	t.Helper()
	p.Name = "trio"
	for _, j := range judges {
		p.Members = append(p.Members, scoring.Member{Name: j.name, Judge: scoring.Judge{Backend: j}})
	}
	if p.Rule == scoring.Escalation {
		last := p.Members[len(p.Members)-1]
		p.Members, p.Arbiter = p.Members[:len(p.Members)-1], &last
	}
	made, err := scoring.NewPanel(p)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// The outcome of each rule follows from the votes, however they are ordered among the members.
func TestPanelOutcome(t *testing.T) {
	const ok, abstained, failed, outside = scoring.StatusOK, scoring.StatusAbstained, scoring.StatusFailed, scoring.StatusNotApplicable
	verdict, graded, labels := verdictFrom(1), verdictFrom(0.5), func(m *scoring.Metric) { m.Labels = []string{"up", "down", "flat"} }
	worse := func(m *scoring.Metric) { m.LowerIsBetter = true }
	maj := scoring.Panel{Rule: "majority"}
	with := func(f func(*scoring.Panel)) scoring.Panel { p := maj; f(&p); return p }
	una, esc := scoring.Panel{Rule: "unanimity"}, scoring.Panel{Rule: scoring.Escalation}
	for _, tc := range []struct {
		why     string
		panel   scoring.Panel
		metric  func(*scoring.Metric)
		votes   string
		status  scoring.Status
		value   float64
		outcome string
	}{
		{"all pass", maj, verdict, "1,1,1", ok, 1, "agreed"},
		{"two of three", maj, verdict, "1,0,1", ok, 1, "majority"},
		{"two of three fail", maj, verdict, "0,1,0", ok, 0, "majority"},
		{"a majority that no missing vote can turn", maj, verdict, "1,away,1", ok, 1, "majority"},
		{"a majority next to a refusal", maj, verdict, "0,0,refuses", ok, 0, "majority"},
		{"a missing vote decides", maj, verdict, "1,0,away", failed, 0, "no_quorum"},
		{"an unusable reply decides", maj, verdict, "1,unusable,0", failed, 0, "no_quorum"},
		{"half is not more than half", maj, verdict, "1,1,away,away", failed, 0, "no_quorum"},
		{"two of two that replied, with a quorum", with(func(p *scoring.Panel) { p.Quorum = 2 }), verdict, "1,1,away,away", ok, 1, "majority"},
		{"a quorum without agreement is a tie", with(func(p *scoring.Panel) { p.Quorum = 2 }), verdict, "1,0,away", abstained, 0, "tie"},
		{"a quorum that is missed", with(func(p *scoring.Panel) { p.Quorum = 2 }), verdict, "1,away,away", failed, 0, "no_quorum"},
		{"a tie", maj, verdict, "1,0", abstained, 0, "tie"},
		{"a tie of four", maj, verdict, "1,0,0,1", abstained, 0, "tie"},
		{"a tie that passes", with(func(p *scoring.Panel) { p.Tie = "pass" }), verdict, "0,1", ok, 1, "tie"},
		{"a tie that fails", with(func(p *scoring.Panel) { p.Tie = "fail" }), verdict, "1,0,1,0", ok, 0, "tie"},
		{"one vote of three is not a majority", maj, verdict, "1,abstains,abstains", abstained, 0, "undecided"},
		{"an abstention makes a tie", maj, verdict, "1,abstains,0", abstained, 0, "tie"},
		{"no verdict at all", maj, verdict, "abstains,abstains", abstained, 0, "undecided"},
		{"outside of the metric's scope, for all", maj, verdict, "outside,outside,outside", outside, 0, "outside"},
		{"outside of the scope, for one", maj, verdict, "1,outside,1", ok, 1, "majority"},
		{"the budget ends the case", maj, verdict, "1,broke,1", failed, 0, "failed"},

		{"the median passes with the majority", maj, graded, "0.9,0.1,0.6", ok, 0.6, "majority"},
		{"the median fails with the majority", maj, graded, "0.9,0.1,0.4", ok, 0.4, "majority"},
		{"of an even number, the worse in the middle", maj, graded, "0.9,0.5,0.7,0.1", ok, 0.5, "majority"},
		{"a tie of grades passes by rule, with the median of those that pass", with(func(p *scoring.Panel) { p.Tie = "pass" }), graded, "0.9,0.1,0.7,0.3", ok, 0.7, "tie"},

		{"values without a verdict", maj, nil, "4,1,5", ok, 4, "median"},
		{"an even number of values", maj, nil, "4,1,5,3", ok, 3, "median"},
		{"an even number of values where low is good", maj, worse, "4,1,5,3", ok, 4, "median"},
		{"a missing value could move the median", maj, nil, "4,away,5", failed, 0, "no_quorum"},
		{"a quorum of values", with(func(p *scoring.Panel) { p.Quorum = 2 }), nil, "4,away,5", ok, 4, "median"},
		{"one value of three", maj, nil, "4,abstains,abstains", abstained, 0, "undecided"},

		{"labels", maj, labels, "up,down,up", ok, 0, "majority"},
		{"three labels", maj, labels, "up,down,flat", abstained, 0, "split"},
		{"as many labels of one as of another", maj, labels, "up,down", abstained, 0, "split"},

		{"unanimous", una, verdict, "1,1,1", ok, 1, "agreed"},
		{"one differs", una, verdict, "1,1,0", abstained, 0, "split"},
		{"one differs, and a missing vote does not matter", una, verdict, "1,away,0", abstained, 0, "split"},
		{"one abstains", una, verdict, "1,1,abstains", abstained, 0, "undecided"},
		{"one is missing", una, verdict, "1,1,away", failed, 0, "no_quorum"},
		{"one is missing, and the quorum allows it", scoring.Panel{Rule: "unanimity", Quorum: 2}, verdict, "1,1,away", ok, 1, "agreed"},
		{"values that differ", una, nil, "4,5", abstained, 0, "split"},
		{"values that differ as much as allowed", scoring.Panel{Rule: "unanimity", Within: 1}, nil, "4,5", ok, 4, "agreed"},
		{"labels differ", una, labels, "up,up,flat", abstained, 0, "split"},

		{"a sure first judge", esc, verdict, "1,0", ok, 1, "agreed"},
		{"the first abstains", esc, verdict, "abstains,0", ok, 0, "arbiter"},
		{"two disagree", esc, verdict, "1,0,1", ok, 1, "arbiter"},
		{"two agree", esc, verdict, "0,0,1", ok, 0, "agreed"},
		{"the first refuses", esc, verdict, "refuses,1", ok, 1, "arbiter"},
		{"the first is away: its place is not taken by the dearer one", esc, verdict, "away,1", failed, 0, "no_quorum"},
		{"the arbiter is away", esc, verdict, "abstains,away", failed, 0, "no_quorum"},
		{"the arbiter abstains", esc, verdict, "abstains,abstains", abstained, 0, "undecided"},
		{"less sure than required", scoring.Panel{Rule: scoring.Escalation, SureFrom: 0.8}, verdict, "1 0.79,0", ok, 0, "arbiter"},
		{"as sure as required", scoring.Panel{Rule: scoring.Escalation, SureFrom: 0.8}, verdict, "1 0.8,0", ok, 1, "agreed"},
		{"a confidence that is not a share", scoring.Panel{Rule: scoring.Escalation, SureFrom: 0.8}, verdict, "1 -1,0", ok, 1, "agreed"},
		{"a value in the unsure range", scoring.Panel{Rule: scoring.Escalation, Unsure: [2]float64{0.3, 0.7}}, graded, "0.5,0", ok, 0, "arbiter"},
		{"a value at its limit", scoring.Panel{Rule: scoring.Escalation, Unsure: [2]float64{0.3, 0.7}}, graded, "0.7,0", ok, 0.7, "agreed"},
	} {
		words := strings.Split(tc.votes, ",")
		for turn := range words { // the order of the members decides nothing; the first and the last of an escalation do
			if turn > 0 && (tc.panel.Rule == scoring.Escalation || strings.Contains(tc.votes, "broke")) {
				break
			}
			var judges []*says
			for i := range words {
				k := (i + turn) % len(words)
				judges = append(judges, seated(fmt.Sprint("j", k), words[k]))
			}
			e := engine(t, &scoring.EngineOptions{Judge: panelOf(t, tc.panel, judges...)}, judgedBy("m", tc.metric))
			s := scoreOne(t, e, &scoring.Case{ID: "c"})
			if s.Usage == nil || s.Usage.Panel == nil {
				t.Fatalf("%s: the score has no record: %+v", tc.why, s)
			}
			rec := s.Usage.Panel
			if s.Status != tc.status || s.Value != tc.value || rec.Outcome != tc.outcome || s.Metric != "m" || s.Version != 7 {
				t.Errorf("%s (turn %d): %s %v %s (%s), want %s %v %s", tc.why, turn, s.Status, s.Value, rec.Outcome, s.Reason, tc.status, tc.value, tc.outcome)
			}
			asked := 0
			for i, j := range judges {
				if len(j.asked) > 0 {
					asked++
					if rec.Votes[i].Judge != j.name {
						t.Errorf("%s: vote %d is recorded for %s", tc.why, i, rec.Votes[i].Judge)
					}
				}
			}
			if asked != len(rec.Votes) {
				t.Errorf("%s: %d votes of %d judges that were asked", tc.why, len(rec.Votes), asked)
			}
		}
	}
}

// A score names the replies of all judges and counts their calls; a judge that was not reached costs nothing, and its
// record is the same whatever the reason.
func TestPanelRecord(t *testing.T) {
	score := func(third *says) scoring.Score {
		var told []string
		p := panelOf(t, scoring.Panel{Rule: "majority"}, seated("a", "1"), seated("b", "1"), third)
		e := engine(t, &scoring.EngineOptions{Judge: p, NoReply: func(panel, judge, _ string) { told = append(told, panel+" "+judge) }}, judgedBy("m", verdictFrom(1)))
		s := scoreOne(t, e, &scoring.Case{ID: "c"})
		if want := len(third.reply) == 0; (len(told) == 1) != want {
			t.Errorf("told %q", told)
		}
		return s
	}
	whole := score(seated("c", "0"))
	if got := fmt.Sprint(whole.AssessmentIDs); got != "[of-a of-b of-c]" || whole.Usage.Calls != 3 || whole.Usage.TokensIn != 30 {
		t.Errorf("%s, usage %+v", got, whole.Usage)
	}
	if whole.Reason != "panel trio (3 judges: 2 pass, 1 fail): by a" || whole.Usage.Panel.Shown != "a" || whole.Detail.(map[string]any)["by"] != "a" {
		t.Errorf("%q %+v", whole.Reason, whole.Usage.Panel)
	}
	if v := whole.Usage.Panel.Votes[2]; v.Passed == nil || *v.Passed || *v.Value != 0 || v.Reason != "by c" || v.Calls != 1 || !slices.Equal(v.AssessmentIDs, []string{"of-c"}) {
		t.Errorf("vote %+v", v)
	}
	text := func(s scoring.Score) string {
		b, err := json.Marshal(scoring.Row{AnswerID: scoring.AnswerID{CaseID: "c"}, Score: s})
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	live := score(seated("c", "away"))
	if live.Usage.Calls != 2 || !slices.Equal(live.Warnings, []string{"c of the panel trio gave no reply"}) {
		t.Errorf("usage %+v, warnings %q", live.Usage, live.Warnings)
	}
	replayed := score(&says{name: "c", err: &judgebackend.Error{Kind: judgebackend.KindReplayMiss}})
	if text(live) != text(replayed) {
		t.Errorf("a score is not reproduced:\n%s\n%s", text(live), text(replayed))
	}
	var row scoring.Row
	if err := json.Unmarshal([]byte(text(whole)), &row); err != nil || text(row.Score) != text(whole) {
		t.Errorf("a row does not survive a file: %v\n%s\n%s", err, text(whole), text(row.Score))
	}
}

// A panel replaces one judge: of all metrics, of one, or of the cases with a tag; a metric that asks nobody has no
// record.
func TestPanelWhereAJudgeIs(t *testing.T) {
	p := panelOf(t, scoring.Panel{Rule: "majority"}, seated("a", "1"), seated("b", "1"), seated("c", "0"))
	alone := seated("alone", "0")
	metrics := []scoring.Metric{judgedBy("m", verdictFrom(1)), judgedBy("n", verdictFrom(1)), constant("k", 0, 1)}
	for _, tc := range []struct {
		why string
		o   scoring.EngineOptions
		tag string
		by  [2]string // panel of m and n
	}{
		{"of all", scoring.EngineOptions{Judge: p}, "", [2]string{"trio", "trio"}},
		{"of one metric", scoring.EngineOptions{Judge: alone, Judges: map[string]scoring.Judge{"n": {Backend: p}}}, "", [2]string{"", "trio"}},
		{"of cases with a tag", scoring.EngineOptions{Judge: alone, ByTag: []scoring.TagJudge{{Tag: "hard", Judge: scoring.Judge{Backend: p}}}}, "hard", [2]string{"trio", "trio"}},
		{"of cases without the tag", scoring.EngineOptions{Judge: p, ByTag: []scoring.TagJudge{{Tag: "easy", Judge: scoring.Judge{Backend: alone}}}}, "hard", [2]string{"trio", "trio"}},
		{"not of cases with another judge", scoring.EngineOptions{Judge: p, ByTag: []scoring.TagJudge{{Tag: "easy", Judge: scoring.Judge{Backend: alone}}}}, "easy", [2]string{"", ""}},
	} {
		c := &scoring.Case{ID: "c"}
		if tc.tag != "" {
			c.Tags = []string{tc.tag}
		}
		scores, err := engine(t, &tc.o, metrics...).Score(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range tc.by {
			got := ""
			if u := scores[i].Usage; u != nil && u.Panel != nil {
				got = u.Panel.Name
			}
			if got != want || scores[i].Value != map[string]float64{"trio": 1}[want] {
				t.Errorf("%s: %s by panel %q with %v, want %q", tc.why, scores[i].Metric, got, scores[i].Value, want)
			}
		}
		if scores[2].Usage != nil || scores[2].Value != 1 {
			t.Errorf("%s: a metric without a judge has the usage %+v", tc.why, scores[2].Usage)
		}
		if u := scores[0].Usage; tc.why == "of cases with a tag" && u.Judge != "panel:trio" {
			t.Errorf("%s: the judge is %q", tc.why, u.Judge)
		}
	}
}

// Metrics that share a question share each member's reply, and a score that another metric rests on keeps its record.
func TestPanelSharesReplies(t *testing.T) {
	a, b := &named{model: "a", value: "1"}, &named{model: "b", value: "3"}
	p, err := scoring.NewPanel(scoring.Panel{Name: "two", Rule: "unanimity", Within: 5, Members: []scoring.Member{
		{Name: "a", Judge: scoring.Judge{Backend: a}}, {Name: "b", Judge: scoring.Judge{Backend: b}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	above := scoring.Metric{Name: "above", Version: 1, Score: func(_ context.Context, in *scoring.Input) (scoring.Score, error) {
		s, err := in.ScoreOf("first")
		return scoring.OK(s.Value+10, "above"), err
	}}
	e := engine(t, &scoring.EngineOptions{Judge: p}, above, sharing("first", "?"), sharing("second", "?"))
	scores, err := e.Score(t.Context(), &scoring.Case{ID: "c", Golds: []scoring.Query{{SQL: "SELECT 1"}}})
	if err != nil {
		t.Fatal(err)
	}
	if a.calls != 1 || b.calls != 1 {
		t.Errorf("%d and %d calls, want one each", a.calls, b.calls)
	}
	if scores[0].Value != 11 || scores[0].Usage.Calls != 2 || scores[0].Usage.Panel != nil {
		t.Errorf("above: %v, %+v", scores[0].Value, scores[0].Usage)
	}
	for _, s := range scores[1:] {
		if s.Value != 1 || s.Usage == nil || s.Usage.Calls != 0 || len(s.Usage.Panel.Votes) != 2 || *s.Usage.Panel.Votes[1].Value != 3 {
			t.Errorf("%s: %v, %+v", s.Metric, s.Value, s.Usage)
		}
	}
}

// Samples of one model are asked as questions of their own, and each member with its temperature.
func TestPanelOfSamples(t *testing.T) {
	j, hot := seated("a", "1"), 0.9
	p, err := scoring.NewPanel(scoring.Panel{Name: "self", Rule: "majority", Members: []scoring.Member{
		{Name: "a", Judge: scoring.Judge{Backend: j}}, {Name: "a, sample 1", Judge: scoring.Judge{Backend: j, Sample: 1, Temperature: &hot}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	scoreOne(t, engine(t, &scoring.EngineOptions{Judge: p}, judgedBy("m", nil)), &scoring.Case{ID: "c"})
	if len(j.asked) != 2 || j.asked[0].Sample != 0 || j.asked[1].Sample != 1 || j.asked[1].Temperature != 0.9 {
		t.Errorf("asked %+v", j.asked)
	}
}

// replies are recorded replies by purpose.
type replies map[string]string

func (r replies) Reply(_, purpose string) (string, string, bool) {
	text, ok := r[purpose]
	return text, "recorded/" + purpose, ok
}

// Members may reply from records. A member without a record of the case gave no reply.
func TestPanelOfRecordedReplies(t *testing.T) {
	p, err := scoring.NewPanel(scoring.Panel{Name: "old", Rule: "majority", Members: []scoring.Member{
		{Name: "a", Replies: replies{"m": `{"value": 1}`}}, {Name: "b", Replies: replies{"m": `{"value": 1}`}}, {Name: "c", Replies: replies{}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	s := scoreOne(t, engine(t, &scoring.EngineOptions{Judge: p}, judgedBy("m", verdictFrom(1))), &scoring.Case{ID: "c"})
	if s.Status != scoring.StatusOK || s.Value != 1 || s.Usage.Calls != 2 || s.Usage.Panel.Votes[2].Status != "no_reply" {
		t.Errorf("%s %v (%s), %+v", s.Status, s.Value, s.Reason, s.Usage)
	}
}

// A case that no panel can settle, since its metric fails by itself, is not put to further judges.
func TestPanelStopsAtFailuresOfTheMetric(t *testing.T) {
	a, b := seated("a", "1"), seated("b", "1")
	m := judgedBy("m", nil)
	ask := m.Score
	m.Score = func(ctx context.Context, in *scoring.Input) (scoring.Score, error) {
		if _, err := ask(ctx, in); err != nil {
			return scoring.Score{}, err
		}
		panic(errors.New("a bug"))
	}
	s := scoreOne(t, engine(t, &scoring.EngineOptions{Judge: panelOf(t, scoring.Panel{Rule: "majority"}, a, b)}, m), &scoring.Case{ID: "c"})
	if s.Status != scoring.StatusFailed || s.Code != errcode.Internal || len(b.asked) != 0 || s.Usage.Calls != 1 {
		t.Errorf("%s %s, %d questions to the second judge", s.Status, s.Reason, len(b.asked))
	}
}

func TestNewPanel(t *testing.T) {
	member := func(name string) scoring.Member {
		return scoring.Member{Name: name, Judge: scoring.Judge{Backend: seated(name, "1")}}
	}
	two := []scoring.Member{member("a"), member("b")}
	third, hot := member("c"), 2.5
	for _, tc := range []struct {
		want string
		p    scoring.Panel
	}{
		{"", scoring.Panel{Name: "p", Rule: "majority", Members: two, Quorum: 2, Tie: "fail"}},
		{"", scoring.Panel{Name: "p", Rule: scoring.Escalation, Members: two[:1], Arbiter: &third, SureFrom: 1, Unsure: [2]float64{0, 1}}},
		{"expected a name", scoring.Panel{Name: "a b", Rule: "majority", Members: two}},
		{"rule", scoring.Panel{Name: "p", Rule: "most", Members: two}},
		{"arbiter", scoring.Panel{Name: "p", Rule: "majority", Members: two, Arbiter: &third}},
		{"arbiter", scoring.Panel{Name: "p", Rule: scoring.Escalation, Members: two}},
		{"1 judges; expected 2 to 16", scoring.Panel{Name: "p", Rule: "majority", Members: two[:1]}},
		{"quorum 3; expected 1 to 2", scoring.Panel{Name: "p", Rule: "majority", Members: two, Quorum: 3}},
		{"quorum", scoring.Panel{Name: "p", Rule: scoring.Escalation, Members: two, Arbiter: &third, Quorum: 1}},
		{"tie", scoring.Panel{Name: "p", Rule: "majority", Members: two, Tie: "maybe"}},
		{"only the rule majority has ties", scoring.Panel{Name: "p", Rule: "unanimity", Members: two, Tie: "fail"}},
		{"within", scoring.Panel{Name: "p", Rule: "unanimity", Members: two, Within: -1}},
		{"within", scoring.Panel{Name: "p", Rule: "majority", Members: two, Within: 1}},
		{"sure_from", scoring.Panel{Name: "p", Rule: scoring.Escalation, Members: two, Arbiter: &third, SureFrom: 1.1}},
		{"unsure", scoring.Panel{Name: "p", Rule: scoring.Escalation, Members: two, Arbiter: &third, Unsure: [2]float64{1, 0}}},
		{"supported by the rule escalation only", scoring.Panel{Name: "p", Rule: "majority", Members: two, SureFrom: 0.5}},
		{`duplicate judge "a"`, scoring.Panel{Name: "p", Rule: "majority", Members: []scoring.Member{member("a"), member("a")}}},
		{"cannot be asked", scoring.Panel{Name: "p", Rule: "majority", Members: []scoring.Member{member("a"), {Name: "b"}}}},
		{"temperature", scoring.Panel{Name: "p", Rule: "majority", Members: []scoring.Member{member("a"), {Name: "b", Judge: scoring.Judge{Backend: seated("b", "1"), Temperature: &hot}}}}},
		{"is a panel", scoring.Panel{Name: "p", Rule: "majority", Members: []scoring.Member{member("a"), {Name: "b", Judge: scoring.Judge{Backend: &scoring.Panel{}}}}}},
	} {
		_, err := scoring.NewPanel(tc.p)
		if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
			t.Errorf("want %q, got %v", tc.want, err)
		}
	}
}
