package databricks

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/badger-eval/badger/connectors/databricks/internal/guard"
	"github.com/badger-eval/badger/connectors/databricks/internal/workspace"
)

func init() { guard.Poll = 5 * time.Millisecond }

// Hasten makes a connection try again without waiting.
func Hasten(c *Conn) {
	r := &c.workspace.Retry
	r.First, r.Longest, r.Asked = time.Millisecond, 5*time.Millisecond, 20*time.Millisecond
}

// Submit runs a statement through the Statement Execution API and returns its id.
func Submit(ctx context.Context, c *Conn, sql, format, disposition string) (string, error) {
	warehouse := c.config.HTTPPath[strings.LastIndexByte(c.config.HTTPPath, '/')+1:]
	body, err := json.Marshal(map[string]string{"warehouse_id": warehouse, "statement": sql, "format": format, "disposition": disposition, "wait_timeout": "0s"})
	if err != nil {
		return "", err
	}
	answer, err := c.workspace.Do(ctx, workspace.Request{What: "submitting a statement", Method: http.MethodPost, Path: strings.TrimSuffix(statementsPath, "/"), Kind: "application/json", Body: body})
	if err != nil {
		return "", err
	}
	var a struct {
		ID string `json:"statement_id"`
	}
	return a.ID, json.Unmarshal(answer, &a)
}
