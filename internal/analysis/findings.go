package analysis

import (
	"encoding/json"

	"github.com/badger-eval/badger/scoring"
)

// Kinds of findings. A finding is written KIND:LABEL.
const (
	KindIssue      = "issue"      // the SQL judge's issue (BADGER, Table 3)
	KindError      = "error"      // FLEX: the error of an incorrect query
	KindDifference = "difference" // FLEX: the reason why the results of a correct query differ
	KindExecution  = "ex"         // FLEX: how execution accuracy errs, false_positive or false_negative
	KindRelation   = "relation"   // relation between the two results
	KindFilters    = "filters"    // STEF: status of the filters
	KindDiagnosis  = "diagnosis"  // ROSE: gold_x, amb_q or amb_schema
	KindRefusal    = "refusal"    // a wrong answer or a wrong refusal
	KindSafety     = "safety"     // what the answer's SQL would do other than read
)

// queryFailed is the label of a failed query.
const queryFailed = "query_failed"

// Evident are the metrics whose detail may have findings.
var Evident = []string{"sql_judge_issues", "flex", "relation", "stef", "rose", refusal, sqlSafety}

const (
	refusal   = "refusal"
	sqlSafety = "sql_safety"
)

// Findings returns all findings in the detail of a score with status ok, as KIND:LABEL. Relations of equal results
// are not findings. For relation, a failed query is the finding query_failed. It returns nil if the detail cannot be
// parsed.
func Findings(s *scoring.Score, detail []byte) (out []string) {
	switch {
	case s.Status != scoring.StatusOK:
		return nil
	case s.Metric == "relation" && s.Label == queryFailed:
		return []string{KindRelation + ":" + queryFailed}
	case s.Metric == refusal && s.Value < 1:
		return []string{KindRefusal + ":" + s.Label}
	case s.Metric == sqlSafety && s.Value < 1:
		return []string{KindSafety + ":" + s.Label}
	case len(detail) == 0:
		return nil
	}
	add := func(kind, label string) {
		if label != "" {
			out = append(out, kind+":"+label)
		}
	}
	switch s.Metric {
	case "sql_judge_issues":
		var d struct {
			By     string `json:"by"`
			Issues []struct {
				Label string `json:"label"`
			} `json:"issues"`
		}
		if json.Unmarshal(detail, &d) != nil {
			return nil
		}
		if d.By == "execution" {
			add(KindIssue, queryFailed)
		}
		for _, i := range d.Issues {
			add(KindIssue, i.Label)
		}
	case "flex":
		var d struct {
			ExecutionError string `json:"execution_error"`
			Categories     []struct {
				Name string `json:"name"`
			} `json:"categories"`
		}
		if json.Unmarshal(detail, &d) != nil {
			return nil
		}
		if d.ExecutionError != "none" {
			add(KindExecution, d.ExecutionError)
		}
		kind := KindError
		if s.Value == 1 {
			kind = KindDifference
		}
		for _, c := range d.Categories {
			add(kind, c.Name)
		}
	case "relation":
		var d struct {
			Relations []struct {
				Name  string `json:"name"`
				Class string `json:"class"`
			} `json:"relations"`
		}
		if json.Unmarshal(detail, &d) != nil {
			return nil
		}
		for _, r := range d.Relations {
			if r.Class != "equivalent" {
				add(KindRelation, r.Name)
			}
		}
	case "stef":
		var d struct {
			Status string `json:"filters_applied_status"`
		}
		if json.Unmarshal(detail, &d) != nil {
			return nil
		}
		add(KindFilters, d.Status)
	case "rose":
		var d map[string]json.RawMessage
		if json.Unmarshal(detail, &d) != nil {
			return nil
		}
		for _, label := range []string{"gold_x", "amb_q", "amb_schema"} {
			if string(d[label]) == "true" {
				add(KindDiagnosis, label)
			}
		}
	}
	return out
}
