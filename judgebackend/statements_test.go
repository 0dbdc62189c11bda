package judgebackend_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/badger-eval/badger/internal/conformance"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/judgebackend/backendtest"
)

// TestNumberedStatements shows the statements of docs/reference/conformance.md about Cortex that no other test does.
func TestNumberedStatements(t *testing.T) {
	conformance.Run(t, "judgebackend", map[string]func(*testing.T){"CTX-3": cortexBound})
}

// Cortex is told by its host, which a proxy stands in for.
func cortexBound(t *testing.T) {
	var sent map[string]any
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := json.NewDecoder(r.Body).Decode(&sent); err != nil {
			t.Error(err)
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, completion)
	}))
	defer proxy.Close()
	const host = "acme-eu.snowflakecomputing.com"
	b := open(t, "openai:claude-4-sonnet", &judgebackend.OpenOptions{BaseURL: "http://" + host + "/api/v2/cortex/v1", AllowHosts: []string{host + ":80"}, AllowPlainHTTP: true, Proxy: proxy.URL})
	if _, err := b.Complete(t.Context(), backendtest.Question()); err != nil {
		t.Fatal(err)
	}
	if _, old := sent["max_tokens"]; old || sent["max_completion_tokens"] == nil {
		t.Errorf("the request has max_tokens %v, max_completion_tokens %v", sent["max_tokens"], sent["max_completion_tokens"])
	}
}
