package udf

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// Metrics made for the tests, one for each kind of parameters and of outcome.
func fakeMetrics() []scoring.Metric {
	return []scoring.Metric{
		{
			Name: "cell_match", Version: 3, Group: "execution", Summary: "Share of equal cells.", Range: "0 to 1", Threshold: scoring.At(1),
			Needs: scoring.FieldGoldResult | scoring.FieldPredResult, Reads: scoring.FieldGoldSQL,
			Options: scoring.OptionSet{Check: func(raw json.RawMessage) error {
				var o struct{ Factor float64 }
				return scoring.DecodeOptions(raw, &o)
			}},
			Score: cellMatch,
		},
		{
			Name: "row_category", Version: 1, Group: "execution", Summary: "Whether the row counts agree.", Labels: []string{"equal", "fewer", "more"},
			Needs: scoring.FieldGoldResult | scoring.FieldPredResult,
			Score: func(_ context.Context, in *scoring.Input) (scoring.Score, error) {
				s := scoring.OK(1, "counted")
				switch g, p := in.Gold.Result.Table.Rows(), in.Pred.Result.Table.Rows(); {
				case p < g:
					s.Label = "fewer"
				case p > g:
					s.Label = "more"
				default:
					s.Label = "equal"
				}
				return s, nil
			},
		},
		{
			Name: "ran", Version: 1, Group: "execution", Summary: "1 if the query ran.", Needs: scoring.FieldExecution,
			Score: func(_ context.Context, in *scoring.Input) (scoring.Score, error) {
				if in.Pred.Error != "" {
					return scoring.OK(0, "failed"), nil
				}
				return scoring.OK(1, "ran"), nil
			},
		},
		{
			Name: "tool_share", Version: 1, Group: "agent", Summary: "Calls per expected call.", Needs: scoring.FieldTools,
			Score: func(_ context.Context, in *scoring.Input) (scoring.Score, error) {
				var want []scoring.ToolCall
				if err := json.Unmarshal(in.Case.Expected.Tools, &want); err != nil {
					return scoring.Score{}, errcode.New(errcode.InvalidArgument, "expected_tools: expected a list")
				}
				return scoring.OK(float64(len(in.Case.Agent.ToolCalls))/float64(len(want)), ""), nil
			},
		},
		{
			Name: "slowdown", Version: 1, Group: "execution", Summary: "Latency over latency.", Needs: scoring.FieldLatency,
			Score: func(_ context.Context, in *scoring.Input) (scoring.Score, error) {
				return scoring.OK(float64(*in.Pred.Latency)/float64(*in.Gold.Latency), ""), nil
			},
		},
		{
			Name: "gold_length", Version: 1, Group: "sql", Summary: "Bytes of the accepted query.", Reads: scoring.FieldGoldSQL,
			Score: func(_ context.Context, in *scoring.Input) (scoring.Score, error) {
				return scoring.OK(float64(len(in.Gold.SQL)), ""), nil
			},
		},
		{
			Name: "behaved", Version: 1, Group: "agent", Summary: "1 if a refusal was wanted and there is no query.", Reads: scoring.FieldBehaviour | scoring.FieldResponse | scoring.FieldPredSQL,
			Score: func(_ context.Context, in *scoring.Input) (scoring.Score, error) {
				if in.Case.Expected.Behaviour == scoring.BehaviourRefuse && in.Pred.SQL == "" && in.Pred.Result.Absent() {
					return scoring.OK(1, in.Case.Agent.Response), nil
				}
				return scoring.OK(0, ""), nil
			},
		},
		{
			Name: "judged", Version: 1, Group: "judge", Summary: "Reads the words; waits for a judge.",
			Needs: scoring.FieldQuestion | scoring.FieldInterpretation | scoring.FieldResponse | scoring.FieldGoldSQL | scoring.FieldPredSQL | scoring.FieldJudge,
			Score: judged,
		},
	}
}

func cellMatch(_ context.Context, in *scoring.Input) (scoring.Score, error) {
	o := struct{ Factor float64 }{1}
	if err := in.Options(&o); err != nil {
		return scoring.Score{}, err
	}
	g, p := in.Gold.Result.Table, in.Pred.Result.Table
	if g.Rows() == 13 {
		panic("thirteen rows")
	}
	same, all := 0, g.Rows()*len(g.Columns)
	for c := range g.Columns {
		for r := range g.Rows() {
			if c < len(p.Columns) && r < p.Rows() && g.Columns[c].Value(r).String() == p.Columns[c].Value(r).String() {
				same++
			}
		}
	}
	if all == 0 {
		return scoring.Abstain("nothing to compare"), nil
	}
	s := scoring.OK(float64(same)/float64(all)*o.Factor, fmt.Sprintf("%d of %d cells", same, all))
	s.Detail = map[string]any{"gold_sql": in.Gold.SQL != "", "equal": same, "of": all}
	return s, nil
}

// judged answers at once, or waits as the response asks: "wait 10ms", "wait forever".
func judged(ctx context.Context, in *scoring.Input) (scoring.Score, error) {
	if d, ok := strings.CutPrefix(in.Case.Agent.Response, "wait "); ok {
		pause, err := time.ParseDuration(d)
		if err != nil {
			pause = time.Hour
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return scoring.Score{}, ctx.Err()
		}
	}
	if in.Case.Agent.Response == "nonsense" {
		return scoring.Score{}, errors.New("secret text of the judge")
	}
	return scoring.OK(0.5, "so-so"), nil
}

// sameText is the trivial function of the benchmarks: two texts in, a number out.
func sameText() Function {
	return Function{
		Name: "same_text", Group: "test", Result: DOUBLE, Version: 1, Params: []Param{{Name: "a"}, {Name: "b"}},
		Columns: func(_ context.Context, in *Batch, out *Column) {
			a, b := &in.Args[0], &in.Args[1]
			for i := range in.Rows {
				switch {
				case a.Nulls[i] || b.Nulls[i]:
					out.SetNull(i)
				case a.Texts[i] == b.Texts[i]:
					out.SetFloat(i, 1)
				}
			}
		},
	}
}

// show returns its arguments as JSON, NULL and all, to see what a wire made of them.
func show() Function {
	return Function{
		Name: "show", Group: "test", Result: JSON, Version: 2,
		Params: []Param{{Name: "text"}, {Name: "doc", Type: JSON}, {Name: "num", Type: DOUBLE, Optional: true}, {Name: "whole", Type: BIGINT, Optional: true}, {Name: "flag", Type: BOOLEAN, Optional: true}},
		Row: func(_ context.Context, in *Batch, i int, out *Column) error {
			if in.Text(0, i) == "panic" {
				panic("secret value")
			}
			var m [5]any
			for k := range m {
				if in.IsNull(k, i) {
					continue
				}
				switch a := &in.Args[k]; a.Type {
				case DOUBLE:
					m[k] = formatFloat(a.Floats[i])
				case BIGINT:
					m[k] = fmt.Sprint(a.Ints[i])
				case BOOLEAN:
					m[k] = a.Bools[i]
				default:
					m[k] = a.Texts[i]
				}
			}
			b, err := json.Marshal(m)
			out.SetText(i, string(b))
			return err
		},
	}
}

// half returns half of an integer, and NULL for an odd one.
func half() Function {
	return Function{
		Name: "half", Group: "test", Result: BIGINT, Version: 1, Params: []Param{{Name: "n", Type: BIGINT}},
		Columns: func(_ context.Context, in *Batch, out *Column) {
			for i, n := range in.Args[0].Ints {
				if out.SetInt(i, n/2); n%2 != 0 || in.Args[0].Nulls[i] {
					out.SetNull(i)
				}
			}
		},
	}
}

// isJSON is a BOOLEAN.
func isJSON() Function {
	return Function{
		Name: "is_json", Group: "test", Result: BOOLEAN, Version: 1, Params: []Param{{Name: "text"}},
		Row: func(_ context.Context, in *Batch, i int, out *Column) error {
			out.SetBool(i, json.Valid([]byte(in.Text(0, i))))
			return nil
		},
	}
}

func newCatalogue(t testing.TB, extra ...Function) *Catalogue {
	t.Helper()
	engine, err := scoring.NewEngine(fakeMetrics(), &scoring.EngineOptions{Replies: noReplies{}})
	if err != nil {
		t.Fatal(err)
	}
	extra = append(extra, sameText(), show(), half(), isJSON())
	c, err := NewCatalogue(engine, &CatalogueOptions{Version: "1.2.3", Extra: extra})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// noReplies makes an engine one that can be asked for judgements.
type noReplies struct{}

func (noReplies) Reply(string, string) (reply, assessmentID string, ok bool) { return "", "", false }

// running is a server on loopback, stopped at the end of the test.
type running struct {
	*Server
	url  string // of HTTP
	addr string // of gRPC
	stop func() error
}

func start(t testing.TB, c *Catalogue, o *Options) *running {
	t.Helper()
	s, err := NewServer(c, o)
	if err != nil {
		t.Fatal(err)
	}
	g, h := listen(t), listen(t)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, g, h) }()
	var stopped error
	once := false
	r := &running{Server: s, url: "http://" + h.Addr().String(), addr: g.Addr().String()}
	r.stop = func() error {
		if !once {
			once = true
			cancel()
			stopped = <-done
		}
		return stopped
	}
	t.Cleanup(func() {
		if err := r.stop(); err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
	return r
}

func listen(t testing.TB) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func dial(t testing.TB, addr string, opts ...grpc.DialOption) *grpc.ClientConn {
	t.Helper()
	if len(opts) == 0 {
		opts = []grpc.DialOption{grpc.WithTransportCredentials(insecure.NewCredentials())}
	}
	conn, err := grpc.NewClient(addr, append(opts, grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(64<<20)))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// post sends a body and returns the status and the reply.
func post(t testing.TB, url, body string, headers ...string) (int, string, http.Header) {
	t.Helper()
	req, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(b), resp.Header
}

// two results: gold and one that differs in so many of its four cells.
func twoResults(wrong int) (gold, agent string) {
	gold = `{"columns":["region","total"],"rows":[["north",1.50],["south",2]]}`
	agent = gold
	for _, r := range [][2]string{{"north", "NORTH"}, {"1.50", "9"}, {"south", "SOUTH"}, {"2]", "3]"}}[:wrong] {
		agent = strings.Replace(agent, r[0], r[1], 1)
	}
	return gold, agent
}
