package server

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/udf"
)

// route is one line of the HTTP interface: a wire that takes batches, or a function that serves
// anything else.
type route struct {
	method string
	path   string // {function} is the name of a function
	wire   wire
	serve  func(*Server, *exchange) error
	open   bool // for everyone, without a token
}

// routes is the HTTP interface, whole. Everything below /v1 is also there below /api/v1, the only
// part of a Databricks App that token-authenticated callers reach. No path ends in z that BigQuery
// or Cloud Run must reach: hence the second names of the health checks.
var routes = []route{
	{"POST", "/v1/snowflake/{function}", snowflake{}, nil, false},
	{"POST", "/v1/snowflake", snowflake{}, nil, false}, // function named by the header
	{"POST", "/v1/bigquery/{function}", bigquery{}, nil, false},
	{"POST", "/v1/bigquery", bigquery{}, nil, false}, // function named by userDefinedContext
	{"POST", "/v1/databricks/{function}", databricks{}, nil, false},
	{"POST", "/v1/databricks/{function}/batch", databricksBatch{}, nil, false},

	{"POST", "/v1/functions/{function}", plain{}, nil, false},
	{"GET", "/v1/functions", nil, (*Server).listFunctions, false},
	{"POST", "/v1/score", nil, (*Server).scoreCase, false},

	{"GET", "/healthz", nil, (*Server).live, true},
	{"GET", "/readyz", nil, (*Server).ready, true},
	{"GET", "/health/live", nil, (*Server).live, true},
	{"GET", "/health/ready", nil, (*Server).ready, true},
}

func (rt *route) name() string {
	if rt.wire != nil {
		return rt.wire.traits().name
	}
	return "http"
}

// mux serves the routes. A path that is none of them is a mistake that does not go away: 400, not
// the 404 that service functions send again.
func (s *Server) mux() http.Handler {
	mux := http.NewServeMux()
	for i := range routes {
		mux.HandleFunc(routes[i].path, s.handler(&routes[i]))
		if !routes[i].open {
			mux.HandleFunc("/api"+routes[i].path, s.handler(&routes[i]))
		}
	}
	mux.HandleFunc("/", s.handler(&route{serve: (*Server).elsewhere}))
	return mux
}

// elsewhere serves paths without a route: the site if there is one.
func (s *Server) elsewhere(x *exchange) error {
	if s.site != nil {
		x.function = ""
		pages := &rowAccount{share: x.share, alone: true} // what pages read of results counts with their caller
		pages.run(x.r.Context(), func(ctx context.Context) { s.site.ServeHTTP(x.rw, x.r.WithContext(ctx)) })
		return nil
	}
	return errcode.New(errcode.NotFound, "nothing is served at %s; GET /v1/functions lists the functions", pathOf(x.r))
}

// listFunctions answers with the catalogue: {"functions":[{"name":…,"signature":…,"params":…}]}.
func (s *Server) listFunctions(x *exchange) error {
	type listed struct {
		udf.Function
		Signature string `json:"signature"`
	}
	list := make([]listed, 0, len(s.catalogue.Functions()))
	for _, f := range s.catalogue.Functions() {
		list = append(list, listed{f, f.Signature()})
	}
	b, err := json.Marshal(map[string]any{"functions": list})
	if err != nil {
		return err
	}
	x.reply(http.StatusOK, b, traits{compress: 1024})
	return nil
}

// scoreCase scores the case in the body with the metrics that the query names: {"scores":[…]}.
func (s *Server) scoreCase(x *exchange) error {
	body, leave, err := s.body(x)
	if err != nil {
		return err
	}
	defer leave()
	if err := x.share.rows(x.r.Context(), 1, false); err != nil {
		return err
	}
	x.function, x.rows, x.private = "score_case", 1, true
	scores, err := s.catalogue.ScoreCase(withShare(x.r.Context(), x.share), body, udf.MetricNames(x.r.URL.Query().Get("metrics")), s.budget(plain{}.traits()))
	err = s.cut(err)
	if errcode.Of(err) == errcode.DeadlineExceeded { // the same call later gets its scores
		err = errcode.New(errcode.Unavailable, "%w", err)
	}
	if err != nil {
		return err
	}
	x.reply(http.StatusOK, append(append([]byte(`{"scores":`), udf.ScoresJSON(scores)...), '}'), traits{compress: 1024})
	return nil
}

type degraded struct {
	Status  string   `json:"status"`
	Missing []string `json:"missing"`
}

func (s *Server) live(x *exchange) error {
	x.reply(http.StatusOK, []byte(`{"status":"ok"}`), traits{compress: 1 << 30})
	return nil
}

// ready reports whether calls are taken, and what is missing meanwhile. It does not depend on a judge
// or a warehouse.
func (s *Server) ready(x *exchange) error {
	if err := s.readiness(x.r.Context()); err != nil {
		return errcode.New(errcode.Unavailable, "not ready: %w", err)
	}
	body := []byte(`{"status":"ready"}`)
	if s.missing != nil {
		if missing := s.missing(); len(missing) > 0 {
			var err error
			if body, err = json.Marshal(degraded{"degraded", missing}); err != nil {
				return err
			}
		}
	}
	x.reply(http.StatusOK, body, traits{compress: 1 << 30})
	return nil
}
