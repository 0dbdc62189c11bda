package databricks_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/connectors/databricks"
	"github.com/badger-eval/badger/connectors/doctor"
	"github.com/badger-eval/badger/connectors/driver"
	fakedatabricks "github.com/badger-eval/badger/connectors/fake/databricks"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/judgebackend/inwarehouse"
	"github.com/badger-eval/badger/sql/store"
)

// What badger does with a warehouse works on this one, and where the account lacks a privilege the
// examination says which.
func TestDoctor(t *testing.T) {
	examine := func(s *fakedatabricks.Server) (failed []string) {
		r := doctor.Examine(ctx, doctor.Options{Now: time.Now, Open: func(ctx context.Context, only bool) (*store.Store, error) {
			c, d, err := databricks.Open(ctx, s.URL("retries=1"), driver.Options{ReadOnly: only})
			if err != nil {
				return nil, err
			}
			return store.New(connectors.New(c, d)), nil
		}})
		for _, c := range r.Checks {
			if c.Status == doctor.Failed {
				failed = append(failed, c.Name+": "+c.Detail+": "+c.Fix)
			}
		}
		return failed
	}
	s := start(t)
	c := open(t, s.URL(), options)
	w := store.New(connectors.New(c, databricks.Dialect))
	defer w.Close() //nolint:errcheck // nothing follows
	if err := w.Install(ctx); err != nil {
		t.Fatal(err)
	}
	if failed := examine(s); len(failed) > 0 {
		t.Errorf("failed: %s", strings.Join(failed, "\n"))
	}
	s.Answer("CREATE (SCHEMA|TABLE) .*", fakedatabricks.Result{Fault: &fakedatabricks.Fault{State: "42501", Message: "[INSUFFICIENT_PERMISSIONS] Insufficient privileges: User does not have CREATE TABLE on Schema 'main.badger'. SQLSTATE: 42501"}})
	failed := strings.Join(examine(s), "\n")
	if !strings.Contains(failed, "CREATE TABLE on schema main.badger") || !strings.Contains(failed, "GRANT") {
		t.Errorf("without the privilege: %q, want it named, and the statement that grants it", failed)
	}
}

// A judge that the warehouse hosts is asked through ai_query: endpoint and prompt are parameters.
func TestAskingAModel(t *testing.T) {
	s := start(t)
	c := open(t, s.URL(), options)
	defer c.Close() //nolint:errcheck // nothing follows
	s.Answer(`SELECT to_json\(ai_query\(\?, \?.*`, text([]string{"a"}, nil, `{"response":"{\"verdict\":\"pass\"}","errorMessage":null}`))
	b, err := judgebackend.Providers{inwarehouse.AIQuery}.Open(ctx, "aiquery:judges-endpoint", &judgebackend.OpenOptions{Queryer: c})
	if err != nil {
		t.Fatal(err)
	}
	got, err := b.Complete(ctx, judgebackend.Request{Purpose: "test", Messages: []judgebackend.Message{{Role: "user", Content: "hunter2"}}})
	if err != nil || got.Reply != `{"verdict":"pass"}` {
		t.Errorf("%q, %v", got.Reply, err)
	}
	if all := strings.Join(s.Statements(), "\n"); strings.Contains(all, "hunter2") || strings.Contains(all, "judges-endpoint") {
		t.Errorf("the prompt or the endpoint stands in the SQL text: %s", all)
	}
	s.Answer(`SELECT to_json\(ai_query.*`, fakedatabricks.Result{Fault: &fakedatabricks.Fault{State: "57012", Message: "[REMOTE_FUNCTION_HTTP_FAILED_ERROR] The remote HTTP request failed with code 429: hunter2. SQLSTATE: 57012"}})
	if _, err := b.Complete(ctx, judgebackend.Request{Purpose: "test", Messages: []judgebackend.Message{{Role: "user", Content: "x"}}}); err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("%v, want an error without what the endpoint said", err)
	}
}
