package server

import (
	"context"
	"encoding/json"
	"net/http"
	"path"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/udf"
)

// route is one route of the HTTP interface.
type route struct {
	method string
	path   string // {function} is a placeholder for the name of a function
	service
	open bool // needs no authentication
}

// service serves the requests of a route.
type service struct {
	wire  wire // nil if the route takes no batches
	serve func(*Server, *exchange) error
	polls bool // a GET requests the reply to a batch that was sent by POST
}

// synchronous returns a service that sends the results of a batch as the response.
func synchronous(w wire) service {
	return service{wire: w, serve: func(s *Server, x *exchange) error { return s.serveBatch(w, x) }}
}

// polled returns a service like synchronous that may ask the caller to poll for the results.
func polled(w pollable) service {
	return service{wire: w, serve: func(s *Server, x *exchange) error { return s.servePolled(w, x) }, polls: true}
}

// other returns a service for requests that are not batches.
func other(serve func(*Server, *exchange) error) service { return service{serve: serve} }

// routes are all routes of the HTTP interface. Paths below /v1 exist below /api/v1, too, the only part of a
// Databricks App that token-authenticated callers reach. BigQuery and Cloud Run reserve paths that end in z: hence
// the second names of the health checks.
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

// takes reports whether the route serves a method. A route with an empty method, such as that of the site, serves all.
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

// mux returns the handler of all routes. A path without a route is a permanent error, status 400: service functions
// would retry on 404.
func (s *Server) mux() http.Handler {
	mux := http.NewServeMux()
	for i := range routes {
		mux.HandleFunc(routes[i].path, s.handler(&routes[i]))
		if !routes[i].open {
			mux.HandleFunc("/api"+routes[i].path, s.handler(&routes[i]))
		}
	}
	mux.HandleFunc("/", s.handler(&route{service: other((*Server).serveSite)}))
	nothing := s.handler(&route{service: other(func(_ *Server, x *exchange) error { return nothingAt(x.r) })})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p := path.Clean(r.URL.Path)
		if p != r.URL.Path && p+"/" != r.URL.Path && strings.HasPrefix(strings.TrimPrefix(p, "/api"), "/v1/") {
			nothing(w, r) // ServeMux would redirect it, without a log and before it is known who calls
			return
		}
		mux.ServeHTTP(w, r)
	})
}

func nothingAt(r *http.Request) error {
	return errcode.New(errcode.NotFound, "nothing is served at %s; GET /v1/functions lists the functions", pathOf(r))
}

// serveSite serves paths without a route: by the site if there is one, or else with an error.
func (s *Server) serveSite(x *exchange) error {
	if s.site != nil {
		x.function = ""
		pages := &rowAccount{share: x.share, alone: true} // what pages read of results counts with their caller
		pages.run(x.r.Context(), func(ctx context.Context) { s.site.ServeHTTP(x.rw, x.r.WithContext(ctx)) })
		return nil
	}
	return nothingAt(x.r)
}

// listFunctions responds with the catalogue: {"functions":[{"name":…,"signature":…,"params":…}]}.
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

// scoreCase responds with the scores of the case in the body by the metrics in the query: {"scores":[…]}.
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
		udf.MetricNames(x.r.URL.Query().Get("metrics")), s.deadline(plain{}.traits()))
	if err = s.cut(err); err != nil {
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

// ready responds whether the server accepts calls, and with the list of missing parts. It does not depend on a judge
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
