package tracking

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

var _ = register(Exporter{Name: "mlflow", Title: "MLflow", export: exportToMLflow, labels: labelsOfMLflow})

// The form of MLflow's REST API (https://mlflow.org/docs/latest/rest-api.html) and, for assessments of traces, of its
// Python client 3.17.
const (
	mlflowAPI    = "/api/2.0/mlflow/"
	mlflowTraces = "/api/3.0/mlflow/traces/"
	mlflowTable  = "scores.json"
	mlflowKey    = "badger.key" // the tag of runs and the metadata of assessments by which they are found again
)

// mlflow is an export to MLflow.
type mlflow struct {
	*client
	o          *Options
	run        *Run
	r          *Report
	experiment string
}

// exportToMLflow writes a run of MLflow for each row of eval_runs, with the means and pass rates as metrics and the
// scores as a table, and feedback for answers whose trace is known.
func exportToMLflow(ctx context.Context, c *client, o *Options, run *Run, r *Report) error {
	m := &mlflow{client: c, o: o, run: run, r: r}
	if err := m.findExperiment(ctx); err != nil {
		return err
	}
	rows := map[scoring.By]*store.Run{}
	for i := range run.Rows {
		rows[run.Rows[i].By] = &run.Rows[i]
	}
	var of *store.Run
	var scores []scoring.Row
	flush := func() error {
		if of == nil {
			return nil
		}
		err := m.write(ctx, of, scores)
		scores = scores[:0]
		return err
	}
	for row, err := range run.Scores {
		if err != nil {
			return err
		}
		if of == nil || of.By != row.By {
			if err := flush(); err != nil {
				return err
			}
			if of = rows[row.By]; of == nil {
				return errcode.New(errcode.DataLoss,
					"the run has scores of an agent, version and batch without a row of eval_runs")
			}
		}
		scores = append(scores, row)
	}
	return flush()
}

func (m *mlflow) findExperiment(ctx context.Context) error {
	var found struct {
		Experiment struct {
			ID string `json:"experiment_id"`
		}
	}
	err := m.json(ctx, http.MethodGet,
		mlflowAPI+"experiments/get-by-name?experiment_name="+url.QueryEscape(m.o.Experiment), nil, &found)
	if no := (*refused)(nil); errors.As(err, &no) && no.status == http.StatusNotFound {
		var created struct {
			ID string `json:"experiment_id"`
		}
		err = m.json(ctx, http.MethodPost, mlflowAPI+"experiments/create", map[string]any{"name": m.o.Experiment}, &created)
		found.Experiment.ID = created.ID
	}
	m.experiment = found.Experiment.ID
	return unavailable(err)
}

// unavailable gives an error of a request without which nothing can be sent a code.
func unavailable(err error) error {
	if no := (*refused)(nil); errors.As(err, &no) {
		return errcode.New(errcode.FailedPrecondition, "the server did not accept the request: %w", err)
	}
	return err
}

type mlflowRun struct {
	Info struct {
		ID          string `json:"run_id"`
		ArtifactURI string `json:"artifact_uri"`
	} `json:"info"`
}

// mlflowTag is a tag or a parameter.
type mlflowTag struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// findRun returns the run of MLflow for a row of eval_runs, which it creates if there is none.
func (m *mlflow) findRun(ctx context.Context, of *store.Run) (mlflowRun, error) {
	id := key(of.ID, scoring.AnswerID{By: of.By}, "")
	var found struct{ Runs []mlflowRun }
	err := m.json(ctx, http.MethodPost, mlflowAPI+"runs/search", map[string]any{"experiment_ids": []string{m.experiment},
		"filter": "tags.`" + mlflowKey + "` = '" + id + "'", "max_results": 1}, &found)
	if err != nil {
		return mlflowRun{}, unavailable(err)
	}
	if len(found.Runs) > 0 {
		m.r.Same++
		return found.Runs[0], nil
	}
	var created struct{ Run mlflowRun }
	err = m.json(ctx, http.MethodPost, mlflowAPI+"runs/create", map[string]any{"experiment_id": m.experiment,
		"start_time": of.Started.UnixMilli(), "run_name": strings.TrimSpace(of.Agent + " " + of.Version + " " + of.Batch),
		"tags": []mlflowTag{{mlflowKey, id}, {"badger.run", of.ID}}}, &created)
	if err == nil {
		m.r.sent("runs")
	}
	return created.Run, unavailable(err)
}

// write writes the run for a row of eval_runs with its scores.
func (m *mlflow) write(ctx context.Context, of *store.Run, scores []scoring.Row) error {
	run, err := m.findRun(ctx, of)
	if err != nil {
		return err
	}
	all := map[string]*figures{}
	for i := range scores {
		s := &scores[i].Score
		if all[s.Metric] == nil {
			all[s.Metric] = &figures{}
		}
		all[s.Metric].add(m.run.metric(s.Metric), *s)
	}
	type point struct {
		Key       string  `json:"key"`
		Value     float64 `json:"value"`
		Timestamp int64   `json:"timestamp"`
		Step      int     `json:"step"`
	}
	var points []point
	at := of.Started.UnixMilli() // the same in a repeated export, so that MLflow stores a point once
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if f := all[name]; f.valued > 0 {
			points = append(points, point{name, f.sum / float64(f.valued), at, 0})
			if f.judged > 0 {
				points = append(points, point{name + "/pass_rate", float64(f.passed) / float64(f.judged), at, 0})
			}
		}
	}
	params := []mlflowTag{{"agent_name", of.Agent}, {"agent_version", of.Version}, {"batch_id", of.Batch},
		{"mode", of.Mode}, {"judge", of.Judge}}
	for part := range slices.Chunk(points, 1000) { // the limit of a request
		if err := m.json(ctx, http.MethodPost, mlflowAPI+"runs/log-batch",
			map[string]any{"run_id": run.Info.ID, "metrics": part, "params": params}, nil); err != nil {
			if fatal(err) {
				return err
			}
			m.r.failed("metrics", err)
			continue
		}
		m.r.Sent["metrics"] += len(part)
	}
	if err := m.writeTable(ctx, run, scores); err != nil {
		return err
	}
	if err := m.writeFeedback(ctx, of, scores); err != nil {
		return err
	}
	status := map[string]string{"done": "FINISHED", "stopped": "KILLED", "failed": "FAILED"}[of.Status]
	if status == "" {
		status = "RUNNING"
	}
	update := map[string]any{"run_id": run.Info.ID, "status": status}
	if status != "RUNNING" {
		update["end_time"] = at
	}
	return unavailable(m.json(ctx, http.MethodPost, mlflowAPI+"runs/update", update, nil))
}

// writeTable uploads the scores as the table that MLflow's pages show. Only the server's own store of artifacts can be
// written to: with others, programs write to the store themselves, whose keys badger does not have.
func (m *mlflow) writeTable(ctx context.Context, run mlflowRun, scores []scoring.Row) error {
	u, err := url.Parse(run.Info.ArtifactURI)
	if err != nil || u.Scheme != "mlflow-artifacts" {
		m.r.Failed["table: the server does not store artifacts itself (mlflow server --serve-artifacts)"] += len(scores)
		return nil //nolint:nilerr // it is counted
	}
	columns := []string{"case_id", "metric", "metric_version", "status", "value", "label", "passed", "code", "gold_hash"}
	if m.o.Content {
		columns = append(columns, "reason")
	}
	data := make([][]any, len(scores))
	for i := range scores {
		r, s := &scores[i], &scores[i].Score
		line := []any{r.CaseID, s.Metric, s.Version, s.Status, nil, nil, nil, nil, nil}
		if s.Status == scoring.StatusOK {
			line[4] = s.Value
		}
		if s.Passed != nil {
			line[6] = *s.Passed
		}
		if s.Status == scoring.StatusFailed {
			line[7] = s.Code.String()
		}
		for at, text := range map[int]string{5: s.Label, 8: r.GoldHash} {
			if text != "" {
				line[at] = text
			}
		}
		if m.o.Content {
			line = append(line, s.Reason)
		}
		data[i] = line
	}
	var text bytes.Buffer
	if err := json.NewEncoder(&text).Encode(map[string]any{"columns": columns, "data": data}); err != nil {
		return errcode.New(errcode.Internal, "%w", err)
	}
	_, err = m.call(ctx, http.MethodPut, "/api/2.0/mlflow-artifacts/artifacts"+u.EscapedPath()+"/"+mlflowTable,
		"application/json", text.Bytes())
	if err == nil {
		err = m.json(ctx, http.MethodPost, mlflowAPI+"runs/set-tag", map[string]any{"run_id": run.Info.ID,
			"key": "mlflow.loggedArtifacts", "value": `[{"path": "` + mlflowTable + `", "type": "table"}]`}, nil)
	}
	switch {
	case err == nil:
		m.r.Sent["scores"] += len(scores)
	case fatal(err):
		return err
	default:
		m.r.Failed["table: "+err.Error()] += len(scores)
	}
	return nil
}

// mlflowSource is who gave feedback.
type mlflowSource struct {
	Type string `json:"source_type"` // CODE, LLM_JUDGE or HUMAN
	ID   string `json:"source_id"`
}

// mlflowAssessment is feedback of a trace.
type mlflowAssessment struct {
	ID       string       `json:"assessment_id,omitempty"`
	Name     string       `json:"assessment_name"`
	Trace    string       `json:"trace_id"`
	Source   mlflowSource `json:"source"`
	Feedback *struct {
		Value json.RawMessage `json:"value"`
	} `json:"feedback,omitempty"`
	Rationale string            `json:"rationale,omitempty"`
	Metadata  map[string]string `json:"metadata,omitempty"`
	Created   string            `json:"create_time,omitempty"`
	Updated   string            `json:"last_update_time,omitempty"`
	Valid     *bool             `json:"valid,omitempty"`
}

// feedback returns a with a value and a key.
func (a *mlflowAssessment) feedback(id string, value any) (*mlflowAssessment, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, errcode.New(errcode.Internal, "%w", err)
	}
	yes := true
	a.Metadata, a.Valid = map[string]string{mlflowKey: id}, &yes
	a.Feedback = &struct {
		Value json.RawMessage `json:"value"`
	}{text}
	a.Created = time.Now().UTC().Format("2006-01-02T15:04:05.000Z")
	a.Updated = a.Created
	return a, nil
}

// assessmentsOf lists the assessments of a trace.
func (m *mlflow) assessmentsOf(ctx context.Context, trace string) ([]mlflowAssessment, error) {
	var found struct {
		Trace struct {
			Info struct{ Assessments []mlflowAssessment } `json:"trace_info"`
		}
	}
	err := m.json(ctx, http.MethodGet, mlflowTraces+url.PathEscape(trace), nil, &found)
	return found.Trace.Info.Assessments, err
}

// writeFeedback writes scores with a value, and labels, as feedback of the traces of their answers.
func (m *mlflow) writeFeedback(ctx context.Context, of *store.Run, scores []scoring.Row) error {
	for len(scores) > 0 {
		n := 1
		for n < len(scores) && scores[n].CaseID == scores[0].CaseID {
			n++
		}
		answer := scores[:n]
		scores = scores[n:]
		trace := m.o.trace(answer[0].CaseID)
		if trace == "" {
			m.r.NoTrace++
			continue
		}
		if err := m.assess(ctx, of, trace, answer); err != nil {
			return err
		}
	}
	return nil
}

// assess writes the scores and labels of an answer.
func (m *mlflow) assess(ctx context.Context, of *store.Run, trace string, answer []scoring.Row) error {
	there, err := m.assessmentsOf(ctx, trace)
	if err != nil {
		if fatal(err) {
			return err
		}
		m.r.Failed["feedback: the trace cannot be read: "+err.Error()] += len(answer)
		return nil
	}
	put := func(what string, a *mlflowAssessment) error {
		err := m.putFeedback(ctx, there, a, what)
		if err != nil && !fatal(err) {
			m.r.failed(what, err)
			return nil
		}
		return err
	}
	for i := range answer {
		s := &answer[i].Score
		if s.Status != scoring.StatusOK {
			m.r.NoValue++
			continue
		}
		kind := "CODE"
		if len(s.AssessmentIDs) > 0 || s.Usage != nil {
			kind = "LLM_JUDGE"
		}
		a := &mlflowAssessment{Name: s.Metric, Trace: trace,
			Source: mlflowSource{kind, "badger/" + s.Metric + "/" + strconv.Itoa(s.Version)}}
		a, err := a.feedback(key(of.ID, answer[i].AnswerID, s.Metric), s.Value)
		if err != nil {
			return err
		}
		for name, value := range metadata(of.ID, &answer[i]) {
			a.Metadata[name] = fmt.Sprint(value)
		}
		if m.o.Content {
			a.Rationale = s.Reason
		}
		if err := put("feedback", a); err != nil {
			return err
		}
	}
	for _, v := range m.run.Labels {
		if v.AnswerID != answer[0].AnswerID {
			continue
		}
		a := &mlflowAssessment{Name: labelName, Trace: trace, Source: mlflowSource{"HUMAN", v.Annotator}}
		a, err := a.feedback(key("label", v.AnswerID, v.Annotator), verdictOf(v))
		if err != nil {
			return err
		}
		if err := put("labels", a); err != nil {
			return err
		}
	}
	return nil
}

// putFeedback creates feedback, or changes that of an earlier export if its value differs.
func (m *mlflow) putFeedback(ctx context.Context, there []mlflowAssessment, a *mlflowAssessment, what string) error {
	path := mlflowTraces + url.PathEscape(a.Trace) + "/assessments"
	i := slices.IndexFunc(there,
		func(t mlflowAssessment) bool { return t.Metadata[mlflowKey] == a.Metadata[mlflowKey] })
	if i < 0 {
		if err := m.json(ctx, http.MethodPost, path, map[string]any{"assessment": a}, nil); err != nil {
			return err
		}
		m.r.sent(what)
		return nil
	}
	old := there[i]
	if old.Feedback != nil && sameJSON(old.Feedback.Value, a.Feedback.Value) && old.Rationale == a.Rationale {
		m.r.Same++
		return nil
	}
	err := m.json(ctx, http.MethodPatch, path+"/"+url.PathEscape(old.ID), map[string]any{
		"assessment": map[string]any{"assessment_id": old.ID, "trace_id": a.Trace, "feedback": a.Feedback,
			"rationale": a.Rationale},
		"update_mask": "feedback,rationale"}, nil)
	if err == nil {
		m.r.sent(what)
	}
	return err
}

// sameJSON reports whether two scalars are equal, however numbers are written.
func sameJSON(a, b json.RawMessage) bool {
	x, errX := strconv.ParseFloat(string(a), 64)
	y, errY := strconv.ParseFloat(string(b), 64)
	if errX == nil && errY == nil {
		return x == y
	}
	return bytes.Equal(a, b)
}

// labelsOfMLflow reads the feedback by people that is named as badger's labels, of the traces of the run's answers. It
// also returns exported labels that were changed there.
func labelsOfMLflow(ctx context.Context, c *client, o *Options, run *Run, r *Report) error {
	m := &mlflow{client: c, o: o, run: run, r: r}
	var last scoring.AnswerID
	for row, err := range run.Scores {
		if err != nil {
			return err
		}
		if row.AnswerID == last {
			continue
		}
		last = row.AnswerID
		trace := o.trace(row.CaseID)
		if trace == "" {
			r.NoTrace++
			continue
		}
		there, err := m.assessmentsOf(ctx, trace)
		if err != nil {
			if fatal(err) {
				return err
			}
			r.failed("traces", err)
			continue
		}
		for _, a := range there {
			if a.Source.Type != "HUMAN" || a.Name != labelName || a.Feedback == nil || a.Valid != nil && !*a.Valid {
				continue
			}
			label := store.Label{AnswerID: row.AnswerID, Annotator: a.Source.ID, Note: a.Rationale,
				Verdict: verdictIn(a.Feedback.Value)}
			if label.Verdict == "" {
				r.Failed["labels: the value is none of pass, fail, unsure, true and false"]++
				continue
			}
			if i := slices.IndexFunc(run.Labels, func(v store.Vote) bool {
				return v.AnswerID == row.AnswerID && v.Annotator == label.Annotator && verdictOf(v) == label.Verdict
			}); i >= 0 {
				r.Same++
				continue
			}
			if label.At, err = time.Parse(time.RFC3339Nano, a.Updated); err != nil {
				label.At = time.Now().UTC()
			}
			r.labels = append(r.labels, label)
		}
	}
	return nil
}

func verdictIn(value json.RawMessage) string {
	var v any
	_ = json.Unmarshal(value, &v)
	switch v := v.(type) {
	case bool:
		return map[bool]string{true: "pass", false: "fail"}[v]
	case string:
		if v = strings.ToLower(strings.TrimSpace(v)); slices.Contains([]string{"pass", "fail", "unsure"}, v) {
			return v
		}
	}
	return ""
}
