package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/errcode"
)

type callCommand struct {
	Function       string `arg:"" placeholder:"NAME" help:"Function to call, such as hybrid_ex."`
	To             string `required:"" placeholder:"ADDRESS" help:"Address of badger serve, such as http://127.0.0.1:7434."`
	Rows           int    `least:"1" default:"500" placeholder:"N" help:"Maximum number of rows in a request (default ${default})."`
	TokenFile      string `placeholder:"FILE" help:"File with the token of the server. It is read for each request."`
	CA             string `placeholder:"FILE" help:"Certificates in PEM that the server's is verified with (default those of the system)."`
	AllowPlainHTTP bool   `name:"allow-plain-http" help:"Allow http:// beyond this machine. The token and results are then sent as plain text."`
}

// Help returns the detailed help text, for kong.
func (callCommand) Help() string {
	return "Each line of standard input is a JSON array of arguments, and each line of standard output a JSON array with the result, in the same order. " +
		"It is a program for ClickHouse's executable functions; docs/sql/clickhouse.md describes them."
}

// Limits of a request. A server takes 10 MiB by default.
const (
	callBytes   = 8 << 20  // of the lines of a request with several rows
	callLine    = 64 << 20 // of a line; the row of a longer one is NULL
	callReply   = 64 << 20 // of a reply
	callTries   = 8
	callTimeout = 11 * time.Minute
)

// Run reads rows, calls the function, and writes the results.
func (c *callCommand) Run(ctx context.Context, p process) error {
	if c.Rows < 1 || c.Rows > 100_000 {
		return usage("--rows: expected 1 to 100000, not %d", c.Rows)
	}
	client, err := c.client()
	if err != nil {
		return err
	}
	in := &rowReader{in: bufio.NewReaderSize(p.stdin, 1<<16)}
	out := bufio.NewWriter(p.stdout)
	for {
		rows, more, err := in.rows(c.Rows)
		if err != nil {
			return err
		}
		if len(rows) > 0 {
			results, err := client.call(ctx, rows)
			if err != nil {
				return err
			}
			for _, r := range results {
				out.Write(r)          //nolint:errcheck // Flush returns the error
				out.WriteString("\n") //nolint:errcheck // likewise
			}
			if err := out.Flush(); err != nil {
				return err
			}
		}
		if !more {
			return nil
		}
	}
}

// rowReader reads rows, one a line.
type rowReader struct {
	in   *bufio.Reader
	line int
}

// rows returns the next rows: at most n and callBytes of them, and no more than have arrived, so that a caller that
// waits for each result gets it. A row that is too long is nil. more is false at the end of the input.
func (r *rowReader) rows(n int) (rows [][]byte, more bool, err error) {
	for size := 0; len(rows) < n && size < callBytes; {
		text, err := r.next()
		if errors.Is(err, io.EOF) {
			return rows, false, nil
		}
		if err != nil {
			return rows, false, err
		}
		if text != nil && (len(text) == 0 || text[0] != '[' || !json.Valid(text)) {
			return rows, false, errcode.New(errcode.InvalidArgument,
				"line %d: expected a JSON array of arguments, such as [\"SELECT 1\", null]", r.line)
		}
		rows, size = append(rows, text), size+len(text)
		if r.in.Buffered() == 0 {
			break
		}
	}
	return rows, true, nil
}

// next returns the next line without its end; nil if it is longer than callLine.
func (r *rowReader) next() (line []byte, err error) {
	r.line++
	long := false
	for {
		part, err := r.in.ReadSlice('\n')
		if !long {
			line = append(line, part...)
		}
		if long = long || len(line) > callLine; long {
			line = nil
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && (long || len(line) > 0): // the last line may lack its end
		case err != nil:
			return nil, err
		}
		if long {
			return nil, nil
		}
		return append([]byte{}, bytes.TrimSpace(line)...), nil // not nil, even if blank
	}
}

// functionClient calls a function of badger serve.
type functionClient struct {
	url, tokenFile string
	json           bool // the function's result is JSON, which is never NULL
	http           *http.Client
}

func (c *callCommand) client() (*functionClient, error) {
	u, err := url.Parse(c.To)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.RawQuery != "" || u.User != nil {
		return nil, usage("--to: expected a URL such as http://127.0.0.1:7434, without a user or a query")
	}
	if u.Scheme == "http" && !driver.Loopback(u.Hostname()) && !c.AllowPlainHTTP {
		return nil, usage("--to: http:// sends the token and results as plain text; expected https://, or --allow-plain-http in a network of your own")
	}
	t := driver.Transport(nil)
	if c.CA != "" {
		text, err := os.ReadFile(c.CA)
		if err != nil {
			return nil, flagError("--ca", err)
		}
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM(text) {
			return nil, usage("--ca: expected certificates in PEM")
		}
		t.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	}
	return &functionClient{
		url: strings.TrimRight(c.To, "/") + "/v1/functions/" + url.PathEscape(c.Function), tokenFile: c.TokenFile,
		json: strings.HasSuffix(c.Function, "_json"),
		http: &http.Client{Transport: t, Timeout: callTimeout, CheckRedirect: func(*http.Request, []*http.Request) error {
			return errors.New("badger serve does not redirect; a proxy did")
		}},
	}, nil
}

// call returns the result of each row as a line of output: an array with one value. A row that is too large for the
// server is NULL, or the server's message if the result is JSON.
func (f *functionClient) call(ctx context.Context, rows [][]byte) ([][]byte, error) {
	var body bytes.Buffer
	body.WriteString(`{"rows":[`)
	sent := 0
	for _, row := range rows {
		if row == nil {
			continue
		}
		if sent++; sent > 1 {
			body.WriteByte(',')
		}
		body.Write(row)
	}
	body.WriteString("]}")
	var results []json.RawMessage
	if sent > 0 {
		reply, tooLarge, err := f.post(ctx, body.Bytes())
		if err != nil {
			return nil, err
		}
		switch {
		case tooLarge && sent > 1: // one of them may be too large by itself
			half := len(rows) / 2
			left, err := f.call(ctx, rows[:half])
			if err != nil {
				return nil, err
			}
			right, err := f.call(ctx, rows[half:])
			return append(left, right...), err
		case tooLarge:
			results = []json.RawMessage{f.failed(reply)}
		default:
			var decoded struct{ Results []json.RawMessage }
			if err := json.Unmarshal(reply, &decoded); err != nil || len(decoded.Results) != sent {
				return nil, errcode.New(errcode.DataLoss, "%s: expected %d results; is it an address of badger serve?", f.url, sent)
			}
			results = decoded.Results
		}
	}
	out := make([][]byte, len(rows))
	for i, row := range rows {
		result := f.failed([]byte(`{"status":"failed","code":"resource_exhausted","reason":"the row is larger than 64 MiB"}`))
		if row != nil {
			result, results = results[0], results[1:]
		}
		line, err := resultLine(result)
		if err != nil {
			return nil, err
		}
		out[i] = line
	}
	return out, nil
}

// failed returns the result of a row that the server rejects as too large. envelope is its message.
func (f *functionClient) failed(envelope []byte) json.RawMessage {
	if f.json && json.Valid(envelope) {
		return envelope
	}
	return json.RawMessage("null")
}

// resultLine returns an array with the result. JSON is a string, as columns of ClickHouse are.
func resultLine(result json.RawMessage) ([]byte, error) {
	if len(result) > 0 && (result[0] == '{' || result[0] == '[') {
		text, err := json.Marshal(string(result))
		if err != nil {
			return nil, err
		}
		result = text
	}
	return append(append([]byte{'['}, result...), ']'), nil
}

// post sends a request until the server answers it. tooLarge reports that the server rejects it for its size; reply is
// then its message.
func (f *functionClient) post(ctx context.Context, body []byte) (reply []byte, tooLarge bool, err error) {
	for try := 0; ; try++ {
		reply, status, after, err := f.once(ctx, body)
		switch {
		case errcode.IsUsage(err): // the next attempt would fail alike
			return nil, false, err
		case err == nil && status == http.StatusOK:
			return reply, false, nil
		case err == nil && status == http.StatusBadRequest && bytes.Contains(reply, []byte(`"code":"resource_exhausted"`)):
			return reply, true, nil
		case err == nil && status != http.StatusTooManyRequests && status != http.StatusServiceUnavailable:
			return nil, false, errcode.New(errcode.FailedPrecondition, "%s: HTTP status %d: %.300s", f.url, status, reply)
		case try == callTries-1 && err == nil:
			return nil, false, errcode.New(errcode.Unavailable, "%s: HTTP status %d after %d attempts", f.url, status, callTries)
		case try == callTries-1 || ctx.Err() != nil:
			return nil, false, errcode.New(errcode.Unavailable, "%s: cannot be reached: %w", f.url, err)
		}
		pause := max(min(30*time.Second, 250*time.Millisecond<<try), after)
		select {
		case <-time.After(pause + rand.N(pause/4)): //nolint:gosec // no secret
		case <-ctx.Done():
		}
	}
}

// once sends a request. after is the time that the server asks to wait.
func (f *functionClient) once(ctx context.Context, body []byte) (reply []byte, status int, after time.Duration,
	err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, f.url, bytes.NewReader(body))
	if err != nil {
		return nil, 0, 0, err
	}
	request.Header.Set("Content-Type", "application/json")
	if f.tokenFile != "" {
		token, err := os.ReadFile(f.tokenFile)
		if err != nil {
			return nil, 0, 0, flagError("--token-file", err)
		}
		request.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	}
	response, err := f.http.Do(request)
	if err != nil {
		return nil, 0, 0, err
	}
	defer response.Body.Close() //nolint:errcheck // only read
	if reply, err = io.ReadAll(io.LimitReader(response.Body, callReply+1)); err != nil {
		return nil, 0, 0, err
	}
	if len(reply) > callReply {
		return nil, 0, 0, usage("%s: the reply is longer than 64 MiB; send fewer rows with --rows", f.url)
	}
	if n, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil && n > 0 {
		after = min(5*time.Minute, time.Duration(n)*time.Second)
	}
	return reply, response.StatusCode, after, nil
}
