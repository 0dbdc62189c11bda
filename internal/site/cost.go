package site

import (
	"context"
	"encoding/json"
	"math"
	"net/http"
	"strconv"

	"github.com/badger-eval/badger/internal/chart"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
	"github.com/badger-eval/badger/udf/identity"
)

// The page shows the calls, tokens and money that the judges of a run cost, and the savings by scores that evidence
// decided.
var _ = register(
	&page{name: "cost", pattern: "GET /cost", nav: "Judges’ cost", place: 140, ofRun: true, inReport: (*staticPlan).one,
		role: identity.Read, show: (*Site).cost})

type costContent struct {
	Judge    string
	Asked    spent // calls for the run's scores, answered by a model or the ledger
	Paid     spent // calls that the run paid for
	Ledger   string
	Evident  string // share of the scores of judged metrics that needed no judge's reply
	Saved    saved
	Metrics  []metricCost
	Picture  twoWidths
	Models   []modelCost
	Runs     []paidRun
	Budget   *budgetLeft
	PricesOf string
}

// spent is a number of calls with their tokens and price; unknown figures are a dash.
type spent struct{ Calls, In, Out, Money string }

// saved estimates the calls, tokens and money that scores decided by evidence would have cost with a judge.
type saved struct{ Calls, Tokens, Money string }

type metricCost struct {
	Metric        string
	Scores, Asked int64
	Calls         int64
	Further       int64  // calls in addition to the first of each score
	Repaired      string // how many of Further retried because the reply was unusable
	In, Out       string
	Failed        counted
	Wasted        int64
	Evident       int64
	EvidentShare  string
	SavedCalls    string
	Uncounted     int64
}

type modelCost struct {
	Kind, Backend, Model, Prompt string
	Replies                      int64
	In, Out                      int64
	Latency                      string
	PriceIn, PriceOut, PriceFrom string
	Money                        string
}

type paidRun struct {
	runLine
	Paid spent
	Here bool
}

// budgetLeft holds the configured budget of a run and the remainder.
type budgetLeft struct{ Limit, Left string }

// Budget is the configured budget for judges.
type Budget struct {
	Tokens int64  // in and out together; 0 for no limit
	Money  string // in the currency of the prices; "" for no limit
	Prices judgebackend.PriceTable
}

// paidCost is the decoded column cost of eval_runs; askedTokens is the decoded column tokens.
type paidCost struct {
	Calls     int64  `json:"calls"`
	TokensIn  int64  `json:"tokens_in"`
	TokensOut int64  `json:"tokens_out"`
	Money     string `json:"money"`
}

type askedTokens struct {
	Calls     int64 `json:"calls"`
	Uncounted int64 `json:"uncounted_calls"`
	In        int64 `json:"in"`
	Out       int64 `json:"out"`
}

func (s *Site) cost(r *http.Request) (content, error) {
	run := store.ParseRun(r.URL.Query())
	if run.ID == "" {
		return content{}, errcode.New(errcode.InvalidArgument, "run: missing, expected the run whose cost is shown")
	}
	ctx, w := r.Context(), s.o.Warehouse
	pages, err := s.reader(ctx)
	if err != nil {
		return content{}, err
	}
	row, err := pages.Run(ctx, run)
	if err != nil {
		return content{}, err
	}
	judged, err := w.Judged(ctx, run)
	if err != nil {
		return content{}, err
	}
	replies, err := w.Asked(ctx, "run:"+run.ID)
	if err != nil {
		return content{}, err
	}
	recent, err := s.recentRuns(ctx)
	if err != nil {
		return content{}, err
	}
	prices, err := judgebackend.NewBudget(judgebackend.BudgetLimits{Prices: s.o.Budget.Prices})
	if err != nil {
		return content{}, err
	}
	page := &costContent{Judge: row.Judge, PricesOf: judgebackend.ListPricesOf}
	var asked askedTokens
	var paid paidCost
	askedKnown, paidKnown := json.Unmarshal([]byte(row.Tokens), &asked) == nil,
		json.Unmarshal([]byte(row.Cost), &paid) == nil
	page.Asked, page.Paid = spent{dash, dash, dash, dash}, spent{dash, dash, dash, dash}
	if askedKnown {
		page.Asked = spent{count(asked.Calls), count(asked.In), count(asked.Out), dash}
	}
	if paidKnown {
		page.Paid = paid.spent()
	}
	page.Metrics, page.Evident, page.Saved = metricCosts(judged, run, paid)
	page.Models = modelCosts(replies, prices)
	if page.Ledger, err = s.fromLedger(ctx, run.ID, paid, paidKnown); err != nil {
		return content{}, err
	}
	if len(page.Metrics) > 0 {
		page.Picture = costPicture(judged)
	}
	page.Budget = s.o.Budget.left(paid)
	for i := range recent {
		if len(page.Runs) == 20 {
			break
		}
		var c paidCost
		line := paidRun{runLine: s.line(recent, recent[i].RunID), Here: recent[i].RunID == run,
			Paid: spent{dash, dash, dash, dash}}
		if json.Unmarshal([]byte(recent[i].Cost), &c) == nil {
			line.Paid = c.spent()
		}
		page.Runs = append(page.Runs, line)
	}
	return content{Title: "Cost", Run: &run, Page: page}, nil
}

// fromLedger returns how many calls of run id the ledger answered, over all batches that the run scored: the calls of
// its scores minus the paid calls. It returns a dash if known is false or if the figures do not allow it.
func (s *Site) fromLedger(ctx context.Context, id string, paid paidCost, known bool) (string, error) {
	rows, err := s.o.Warehouse.Runs(ctx, id)
	if err != nil {
		return dash, err
	}
	var calls int64
	for i := range rows {
		var asked askedTokens
		known = known && json.Unmarshal([]byte(rows[i].Tokens), &asked) == nil
		calls += asked.Calls
	}
	if !known || calls < paid.Calls { // answers whose scores were not stored were paid for, too
		return dash, nil
	}
	return count(calls - paid.Calls), nil
}

func (c *paidCost) spent() spent {
	out := spent{count(c.Calls), count(c.TokensIn), count(c.TokensOut), dash}
	if c.Money != "" {
		out.Money = c.Money
	}
	return out
}

// metricCosts returns the cost of each metric, the share of scores that evidence decided without a judge, and the
// estimated savings: the number of such scores times the mean calls, tokens and money of a judged score.
func metricCosts(judged []store.Judged, run scoring.RunID,
	paid paidCost) (out []metricCost, evidentShare string, s saved) {
	var evident, valued, calls, tokens int64
	savedCalls, savedTokens := 0.0, 0.0
	for i := range judged {
		j := &judged[i]
		m := metricCost{
			Metric: j.Metric, Scores: j.Scores, Asked: j.Asked, Calls: j.Calls, Further: max(0, j.Calls-j.Asked),
			In: count(j.TokensIn), Out: count(j.TokensOut), Wasted: j.Wasted, Evident: j.Evident,
			EvidentShare: dash, SavedCalls: dash, Uncounted: j.Uncounted,
			Failed: counted{N: int(j.Failed)}, Repaired: count(j.Repaired),
		}
		if j.Untold > 0 { // scored before repairs were counted
			m.Repaired = dash
		}
		if j.Evident+j.Asked > 0 {
			m.EvidentShare = share(float64(j.Evident) / float64(j.Evident+j.Asked))
		}
		if j.Asked > 0 {
			each := float64(j.Calls) / float64(j.Asked)
			m.SavedCalls = count(int64(math.Round(each * float64(j.Evident))))
			savedCalls += each * float64(j.Evident)
			savedTokens += float64(j.TokensIn+j.TokensOut) / float64(j.Asked) * float64(j.Evident)
			evident, valued = evident+j.Evident, valued+j.Evident+j.Asked
			calls, tokens = calls+j.Calls, tokens+j.TokensIn+j.TokensOut
		}
		out = append(out, m)
	}
	s, evidentShare = saved{dash, dash, dash}, dash
	if valued > 0 {
		evidentShare = share(float64(evident) / float64(valued))
		s.Calls = count(int64(math.Round(savedCalls)))
		s.Tokens = count(int64(math.Round(savedTokens)))
	}
	if money, err := judgebackend.ParseMoney(paid.Money); err == nil && money > 0 && paid.TokensIn+paid.TokensOut > 0 {
		s.Money = chart.Decimal(savedTokens*float64(money)/1e12/float64(paid.TokensIn+paid.TokensOut), 2)
	}
	return out, evidentShare, s
}

func modelCosts(replies []store.Asked, prices *judgebackend.Budget) (out []modelCost) {
	for _, a := range replies {
		m := modelCost{Kind: a.Kind, Backend: a.Backend, Model: a.Model, Prompt: a.Prompt, Replies: a.Replies, In: a.TokensIn,
			Out: a.TokensOut, Latency: took(a.Latency), PriceIn: dash, PriceOut: dash, PriceFrom: "not known", Money: dash}
		id := judgebackend.Identity{Backend: a.Backend, Model: a.Model}
		if p, ok := prices.Price(id); ok {
			m.PriceIn, m.PriceOut, m.PriceFrom = p.In, p.Out, "configuration"
			if prices.Listed(id) {
				m.PriceFrom = "list prices of " + judgebackend.ListPricesOf
			}
			if a.Uncounted == 0 {
				money, _ := prices.Cost(id, a.TokensIn, a.TokensOut)
				m.Money = money.String()
			}
		}
		out = append(out, m)
	}
	return out
}

func costPicture(judged []store.Judged) twoWidths {
	bars := chart.Bars{Name: "cost", Title: "Tokens by metric", Desc: "Tokens in and out for the scores of each metric.",
		X: "tokens"}
	for i := range judged {
		n := float64(judged[i].TokensIn + judged[i].TokensOut)
		bars.Rows = append(bars.Rows,
			chart.Bar{Name: judged[i].Metric, Value: &n, Text: count(judged[i].TokensIn + judged[i].TokensOut)})
	}
	out := twoWidths{Wide: bars.Picture()}
	bars.Name, bars.Narrow = "cost-narrow", true
	out.Narrow = bars.Picture()
	return out
}

// left returns what remains of the budget after the cost paid, or nil if the budget has no limit.
func (b *Budget) left(paid paidCost) *budgetLeft {
	limit, _ := judgebackend.ParseMoney(b.Money)
	switch {
	case b.Tokens > 0:
		return &budgetLeft{count(b.Tokens) + " tokens", count(max(0, b.Tokens-paid.TokensIn-paid.TokensOut)) + " tokens"}
	case limit > 0:
		money, _ := judgebackend.ParseMoney(paid.Money)
		return &budgetLeft{limit.String(), max(0, limit-money).String()}
	}
	return nil
}

// UncountedText returns a phrase with the number of scores whose tokens are unknown, or "" for 0.
func (m metricCost) UncountedText() string {
	if m.Uncounted == 0 {
		return ""
	}
	return "tokens not known of " + strconv.FormatInt(m.Uncounted, 10)
}
