package store

import (
	"strings"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/errcode"
)

// finding is the location of the labels of one kind of finding in the detail of a metric's scores: a member of the
// objects of a list, a string member, or the name of a member that is true; without any, it is the label of the score.
type finding struct {
	metric       string
	list, member string // name of the list, and of the objects' member; "": no list
	text         string // name of the string member; "": none
	flag         bool
	and          string
}

// findings has the location of each kind of finding, by the name of the kind in package analysis.
var findings = map[string]finding{
	"issue":      {metric: "sql_judge_issues", list: "issues", member: "label"},
	"error":      {metric: "flex", list: "categories", member: "name", and: " AND value <> 1"},
	"difference": {metric: "flex", list: "categories", member: "name", and: " AND value = 1"},
	"ex":         {metric: "flex", text: "execution_error"},
	"relation":   {metric: "relation", list: "relations", member: "name"},
	"filters":    {metric: "stef", text: "filters_applied_status"},
	"diagnosis":  {metric: "rose", flag: true},
	"refusal":    {metric: "refusal", and: " AND value < 1"},
	"safety":     {metric: "sql_safety", and: " AND value < 1"},
}

// diagnoses are the labels of findings of the kind diagnosis.
var diagnoses = []string{"gold_x", "amb_q", "amb_schema"}

// finding returns the condition that a case has a score whose evidence contains a finding, such as
// issue:filters_missing.
func (q *caseList) finding(f ListFilter) (string, error) {
	kind, label, _ := strings.Cut(f.Value, ":")
	where, ok := findings[kind]
	known := !where.flag
	for _, d := range diagnoses {
		known = known || label == d
	}
	if !ok || !known || label == "" || f.Op != Equal && f.Op != NotEqual {
		return "", errcode.New(errcode.InvalidArgument,
			"filter: %.80q: expected finding=KIND:LABEL, such as finding=relation:extra_rows, with = or !=", f.String())
	}
	d := q.Dialect
	text := func(s string) string { return "CAST(" + q.param(s) + " AS " + d.Types[driver.Text] + ")" }
	var is string
	switch {
	case where.flag:
		is = jsonMember(d, "detail", label) + " = 'true'"
	case where.list == "" && where.text == "":
		is = "label = " + text(label)
	case where.list == "":
		is = jsonMember(d, "detail", where.text) + " = " + text(label)
	default: // white space in JSON depends on the warehouse
		part := "COALESCE(" + jsonPart(d, "detail", where.list) + ", '')"
		key := jsonString(where.member) + ":"
		is = contains(d, part, text(key+jsonString(label))) + " OR " + contains(d, part, text(key+" "+jsonString(label)))
		switch {
		case kind == "issue" && label == "query_failed":
			is += " OR " + jsonMember(d, "detail", "by") + " = 'execution'"
		case kind == "relation": // for a failed query, the label is the finding
			is += " OR label = 'query_failed' AND label = " + text(label)
		}
	}
	in := " IN "
	if f.Op == NotEqual {
		in = " NOT IN "
	}
	run := q.state.RunID
	return "p.case_id" + in + "(SELECT case_id FROM badger.scores WHERE " + runIs(q.Dialect, &q.args, run) +
		" AND metric = " + q.param(where.metric) + " AND status = 'ok'" + where.and + " AND (" + is + "))", nil
}
