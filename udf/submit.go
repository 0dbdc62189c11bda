package udf

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/jsonscan"
	"github.com/badger-eval/badger/scoring"
)

// submitFunctions returns the pair of functions for callers that cannot wait for a judge: NAME_submit takes the
// arguments of the function of and returns a ticket immediately; NAME_fetch takes the ticket and returns the result of
// that function, which is JSON, or reports that it is pending.
func (c *Catalogue) submitFunctions(name string, of *Function) []Function {
	submit := Function{
		Name: name + "_submit", Group: of.Group, Params: of.Params, Result: VARCHAR, Version: of.Version, Metric: of.Metric,
		Volatile: true,
		Doc: "Submits " + of.Name +
			" with the same arguments and returns a ticket immediately, for callers that cannot wait for a judge.",
		Columns: func(ctx context.Context, in *Batch, out *Column) { c.submit(ctx, of, in, out) },
	}
	fetch := Function{
		Name: name + "_fetch", Group: of.Group, Result: JSON, Version: of.Version, Metric: of.Metric, Volatile: true,
		Params: []Param{{"ticket", VARCHAR, false, "what " + submit.Name + " returned"}},
		Doc: "The result of " + of.Name +
			" for a ticket, or {\"status\":\"pending\",…} while it is computed: retry later.",
		Columns:  func(ctx context.Context, in *Batch, out *Column) { c.fetch(ctx, of, in, out) },
		Envelope: of.Envelope,
	}
	return []Function{submit, fetch}
}

// submitPairs returns the _submit and _fetch functions for each function that asks judges and returns JSON.
func (c *Catalogue) submitPairs(functions []Function) (pairs []Function) {
	for i := range functions {
		of := functions[i] // a copy: the list moves as it grows
		if !of.Once || of.Result != JSON {
			continue
		}
		name := of.Name
		if of.Metric != "" {
			name = of.Metric
		}
		pairs = append(pairs, c.submitFunctions(name, &of)...)
	}
	return pairs
}

// fetchWait is how long a _fetch call waits for rows that are not done: long enough for cached replies of judges.
const fetchWait = 500 * time.Millisecond

// pendingEnvelope is the result of _fetch for a row that is not done.
const pendingEnvelope = `{"status":"pending","value":null,"code":"unavailable","reason":"the judge has not answered yet; retry later","retryable":true}`

var errNoTicket = errcode.New(errcode.NotFound,
	"unknown or expired ticket; submit the row again")

// submit starts the rows and returns their tickets: hashes of their content and caller, so that equal rows of one
// caller have equal tickets. If replicas share calls, all of them accept a ticket. Only the caller that submitted the
// row may fetch it.
func (c *Catalogue) submit(ctx context.Context, of *Function, in *Batch, out *Column) {
	var kept []KeptCall
	expires := time.Now().Add(KeepCalls)
	q := &queue{}
	parked := make([]bool, in.Rows)
	s := c.jobs
	s.mu.Lock()
	for i := range in.Rows {
		if i < len(in.bad) && in.bad[i] != nil {
			continue
		}
		j := s.join(ctx, of, in, i, q)
		j.waiting--
		if parked[i] = s.park(j); !parked[i] && j.waiting == 0 && !j.begun {
			s.drop(j)
		}
		out.SetText(i, j.key.String())
		if c.calls != nil {
			id := keptTicket(j.caller, out.Texts[i])
			kept = append(kept, KeptCall{ID: id, Hash: id, Function: of.Name, Request: keptArguments(in, i), Expires: expires})
		}
	}
	s.start(q)
	s.mu.Unlock()
	var err error
	if len(kept) > 0 {
		err = c.calls.Keep(ctx, kept)
	}
	for i := range in.Rows {
		switch {
		case i < len(in.bad) && in.bad[i] != nil: // the caller says why
		case err != nil && !parked[i]:
			s.refuse(in, out, i, errcode.New(errcode.Unavailable, "the row could not be stored; submit it again"))
		case c.calls == nil && !parked[i]:
			s.refuse(in, out, i, errParkedFull)
		}
	}
}

func (s *jobs) refuse(in *Batch, out *Column, i int, err error) {
	code, reason := PublicError(err)
	in.explain(Problem{Row: i, Status: scoring.StatusFailed, Code: code, Reason: reason})
	out.SetText(i, "")
	out.SetNull(i)
}

// keptArguments returns the arguments of row i as a JSON array.
func keptArguments(in *Batch, i int) []byte {
	b := []byte{'['}
	for k := range in.Args {
		if k > 0 {
			b = append(b, ',')
		}
		switch a := &in.Args[k]; {
		case a.Nulls[i]:
			b = append(b, "null"...)
		case a.Type == JSON || a.Type == VARCHAR:
			b = jsonscan.AppendString(b, a.Texts[i])
		default:
			b = AppendValue(b, a, i, true)
		}
	}
	return append(b, ']')
}

// readArguments parses the output of keptArguments and appends it to in as a row. If one value is invalid it appends
// the row and returns an error; if the whole text is invalid it appends none.
func readArguments(fn *Function, in *Batch, text []byte) error {
	var values []any
	if json.Unmarshal(text, &values) != nil || len(values) > len(fn.Params) {
		return errcode.New(errcode.DataLoss, "the stored arguments cannot be read")
	}
	var bad error
	for k := range fn.Params {
		var value any
		if k < len(values) {
			value = values[k]
		}
		var wrong string
		switch v := value.(type) {
		case string:
			wrong = in.Args[k].AppendText(v)
		case bool:
			wrong = in.Args[k].AppendText(strconv.FormatBool(v))
		case float64:
			wrong = in.Args[k].AppendText(FormatFloat(v))
		default:
			in.Args[k].AppendNull()
		}
		if wrong != "" {
			bad = errcode.New(errcode.DataLoss, "the stored argument %s cannot be read", fn.Params[k].Name)
		}
	}
	in.Rows++
	return bad
}

// fetch sets out to the results of the tickets in in, or to pendingEnvelope for rows that are not done.
func (c *Catalogue) fetch(ctx context.Context, of *Function, in *Batch, out *Column) {
	s := c.jobs
	rows := make([]*job, in.Rows)
	var away []string
	s.mu.Lock()
	for i := range in.Rows {
		if j := s.find(callerName(ctx), in.Text(0, i), of); j != nil {
			rows[i] = j
			j.waiting++
		} else if !in.IsNull(0, i) {
			away = append(away, in.Text(0, i))
		}
	}
	s.mu.Unlock()
	found, err := c.resume(ctx, of, away)
	s.mu.Lock()
	for i := range in.Rows {
		if rows[i] == nil {
			if rows[i] = found[in.Text(0, i)]; rows[i] != nil {
				rows[i].waiting++
			}
		}
	}
	s.mu.Unlock()
	over := time.NewTimer(fetchWait)
	defer over.Stop()
wait:
	for _, j := range rows {
		if j == nil {
			continue
		}
		select {
		case <-j.done:
		case <-over.C:
			break wait
		case <-ctx.Done():
			break wait
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, j := range rows {
		switch {
		case j == nil && err != nil && !in.IsNull(0, i):
			of.fail(in, i, out, err)
		case j == nil:
			of.fail(in, i, out, errNoTicket)
		case s.leave(j, true):
			s.tell(j, in, out, i)
		default:
			out.SetText(i, pendingEnvelope)
		}
	}
}

// keptTicket returns the id under which the row of a ticket is stored. It differs between callers.
func keptTicket(caller, ticket string) string {
	return KeptID([]byte("ticket"), []byte(caller), []byte(ticket))
}

// find returns the job of a caller's ticket, or nil if this process has none. The caller of find holds s.mu.
func (s *jobs) find(caller, ticket string, of *Function) *job {
	var key rowKey
	if len(ticket) != 2*len(key) {
		return nil
	}
	if _, err := hex.Decode(key[:], []byte(ticket)); err != nil {
		return nil
	}
	if j := s.all[key]; j != nil && j.fn.Name == of.Name && j.caller == caller {
		return j
	}
	return nil
}

// resume starts the rows of tickets that were submitted to another replica, or before a restart, and returns their
// jobs by ticket. Judges' replies come from the ledger if they are stored there.
func (c *Catalogue) resume(ctx context.Context, of *Function, tickets []string) (map[string]*job, error) {
	if c.calls == nil || len(tickets) == 0 {
		return nil, nil
	}
	caller, byID := callerName(ctx), make(map[string]string, len(tickets))
	for _, ticket := range tickets {
		byID[keptTicket(caller, ticket)] = ticket
	}
	kept, err := c.calls.Find(ctx, slices.Collect(maps.Keys(byID)))
	if err != nil {
		return nil, errcode.New(errcode.Unavailable, "the submitted rows cannot be read; retry later")
	}
	in := &Batch{}
	in.Reset(of, len(of.Params))
	rows := make(map[int]string, len(kept)) // tickets by row
	for i := range kept {
		if kept[i].Function != of.Name {
			continue
		}
		if e := readArguments(of, in, kept[i].Request); e != nil {
			err = errors.Join(err, e)
			continue
		}
		rows[in.Rows-1] = byID[kept[i].ID]
	}
	jobs := make(map[string]*job, len(rows))
	q := &queue{}
	s := c.jobs
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range in.Rows {
		ticket, ok := rows[i]
		if !ok {
			continue
		}
		j := s.join(ctx, of, in, i, q)
		j.waiting--
		s.park(j)
		jobs[ticket] = j
	}
	s.start(q)
	return jobs, err
}
