package server

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/udf"
)

// route is one line of the HTTP interface.
type route struct {
	method string
	path   string // {function} is the name of a function
	service
	open bool // for everyone, without a token
}

// service answers the requests of a route: synchronous or polled batches in the form of a wire, or something else.
type service struct {
	wire  wire // nil: no batches
	serve func(*Server, *exchange) error
	polls bool // GET asks for the reply to a batch that was sent by POST
}

// synchronous answers a batch on the connection that it came on.
func synchronous(w wire) service {
	return service{wire: w, serve: func(s *Server, x *exchange) error { return s.serveBatch(w, x) }}
}

// polled answers a batch as synchronous does, or asks the caller to poll for the reply.
func polled(w pollable) service {
	return service{wire: w, serve: func(s *Server, x *exchange) error { return s.servePolled(w, x) }, polls: true}
}

// other answers requests that are not batches.
func other(serve func(*Server, *exchange) error) service { return service{serve: serve} }

// routes is the HTTP interface, whole. Everything below /v1 is also there below /api/v1, the only
// part of a Databricks App that token-authenticated callers reach. No path ends in z that BigQuery
// or Cloud Run must reach: hence the second names of the health checks.
var routes = []route{
	{"POST", "/v1/snowflake/{function}", polled(snowflake{}), false},
	{"POST", "/v1/snowflake", polled(snowflake{}), false}, // function named by the header
	{"POST", "/v1/bigquery/{function}", synchronous(bigquery{}), false},
	{"POST", "/v1/bigquery", synchronous(bigquery{}), false}, // function named by userDefinedContext
	{"POST", "/v1/databricks/{function}", synchronous(databricks{}), false},
	{"POST", "/v1/databricks/{function}/batch", synchronous(databricksBatch{}), false},

	{"POST", "/v1/functions/{function}", synchronous(plain{}), false},
	{"GET", "/v1/functions", other((*Server).listFunctions), false},
	{"POST", "/v1/score", other((*Server).scoreCase), false},

	{"GET", "/healthz", other((*Server).live), true},
	{"GET", "/readyz", other((*Server).ready), true},
	{"GET", "/health/live", other((*Server).live), true},
	{"GET", "/health/ready", other((*Server).ready), true},
}

func (rt *route) name() string {
	if rt.wire != nil {
		return rt.wire.traits().name
	}
	return "http"
}

// takes reports whether the route serves a method; the site decides by itself.
func (rt *route) takes(method string) bool {
	switch method {
	case rt.method:
		return true
	case http.MethodHead:
		return rt.method == http.MethodGet || rt.method == ""
	case http.MethodGet:
		return rt.polls || rt.method == ""
	}
	return rt.method == ""
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
	mux.HandleFunc("/", s.handler(&route{service: other((*Server).serveSite)}))
	return mux
}

// serveSite serves paths without a route: the site if there is one.
func (s *Server) serveSite(x *exchange) error {
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
	scores, err := s.catalogue.ScoreCase(withShare(x.r.Context(), x.share), body,
		udf.MetricNames(x.r.URL.Query().Get("metrics")), s.budget(plain{}.traits()))
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
