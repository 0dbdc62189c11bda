package export

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/url"
	"strings"

	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/internal/report"
	"github.com/badger-eval/badger/scoring/relation"
)

var _ = register(
	Format{Name: "sarif", File: "cases.sarif", Type: "application/sarif+json",
		open: func(w io.Writer, o Options) (Writer, error) { return NewSARIF(w, o), nil }})

// sarif is a Writer of SARIF. It writes the results first, and the rules that they refer to on Close.
type sarif struct {
	w       *bufio.Writer
	o       Options
	rules   map[string]int // index in list, by ID
	list    []sarifRule
	results int
	answers int
	run     string // run ID of the answers; "" if they are of several runs
}

// NewSARIF returns a Writer of SARIF 2.1.0: a result for each answer that failed, is missing, or could not be scored.
// The rule of a failed answer is the relation between the results if known, else the metric. A result refers to the
// line of the case file if known, and always to the case.
func NewSARIF(w io.Writer, o Options) Writer {
	b := bufio.NewWriter(w)
	_, _ = b.WriteString(
		`{"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0","runs":[{"results":[`)
	return &sarif{w: b, o: o, rules: map[string]int{}}
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifRule struct {
	ID      string    `json:"id"`
	Name    string    `json:"name,omitempty"`
	Short   sarifText `json:"shortDescription"`
	Default struct {
		Level string `json:"level"`
	} `json:"defaultConfiguration"`
}

type sarifResult struct {
	RuleID       string            `json:"ruleId"`
	RuleIndex    int               `json:"ruleIndex"`
	Level        string            `json:"level"`
	Message      sarifText         `json:"message"`
	Locations    []sarifLocation   `json:"locations"`
	Fingerprints map[string]string `json:"partialFingerprints"`
	Properties   map[string]any    `json:"properties,omitempty"`
}

type sarifLocation struct {
	Physical *sarifPhysical `json:"physicalLocation,omitempty"`
	Logical  []sarifLogical `json:"logicalLocations"`
}

type sarifPhysical struct {
	Artifact struct {
		URI string `json:"uri"`
	} `json:"artifactLocation"`
	Region struct {
		Line int `json:"startLine"`
	} `json:"region"`
}

type sarifLogical struct {
	Name string `json:"name"`
	Full string `json:"fullyQualifiedName"`
	Kind string `json:"kind"`
}

// Levels of results.
const (
	sarifError   = "error"
	sarifWarning = "warning"
)

// Add writes the result of an answer that failed, is missing or could not be scored; others are only counted.
func (s *sarif) Add(a *Answer) error {
	switch s.answers++; {
	case s.answers == 1:
		s.run = a.RunID
	case s.run != a.RunID:
		s.run = ""
	}
	name, sentence := a.difference()
	of := a.CaseID
	if answer := strings.TrimSpace(a.Agent + " " + a.Version); answer != "" {
		of += " (" + answer + ")"
	}
	outcome, by := a.verdict(s.o.Metric)
	reason := a.reason(by)
	rule, level, text := "metric/"+by, sarifError, []string{of + ": " + reason}
	switch outcome {
	case Failed:
		if name != "" && by == s.o.Metric {
			rule = "relation/" + name
		}
		if sentence != "" && sentence != reason {
			text = append(text, "Why they differ: "+sentence)
		}
	case Unanswered:
		rule = "unanswered"
	case Error:
		rule, level = "not_scored", sarifWarning
	default:
		return nil
	}
	if a.Question != "" {
		text = append(text, "Question: "+a.Question)
	}
	r := sarifResult{
		RuleID: rule, RuleIndex: s.rule(rule, level), Level: level, Message: sarifText{message(text...)},
		Locations: []sarifLocation{{Logical: []sarifLogical{{
			Name: a.CaseID, Full: strings.Join([]string{a.Agent, a.Version, a.Batch, a.CaseID}, "/"), Kind: "case",
		}}}},
		Fingerprints: map[string]string{"badgerCase/v1": fingerprint(a.Agent, a.CaseID, rule)},
		Properties:   map[string]any{"agent_version": a.Version, "batch_id": a.Batch, "outcome": outcome},
	}
	if a.Tier != "" {
		r.Properties["tier"] = a.Tier
	}
	if a.Place.File != "" {
		p := &sarifPhysical{}
		p.Artifact.URI, p.Region.Line = (&url.URL{Path: a.Place.File}).String(), max(1, a.Place.Line)
		r.Locations[0].Physical = p
	}
	out, err := json.Marshal(&r)
	if err != nil {
		return err
	}
	if s.results++; s.results > 1 {
		_ = s.w.WriteByte(',')
	}
	_ = s.w.WriteByte('\n')
	_, err = s.w.Write(printable.JSON(out))
	return err
}

// fingerprint returns a hash of parts, by which servers recognize the same result in another run.
func fingerprint(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		_, _ = h.Write([]byte(p + "\x00"))
	}
	return hex.EncodeToString(h.Sum(nil))[:32]
}

// rule returns the index of a rule, and adds the rule if it is new.
func (s *sarif) rule(id, level string) int {
	if i, known := s.rules[id]; known {
		return i
	}
	r := sarifRule{ID: id, Short: sarifText{message(meaning(id))}}
	r.Default.Level = level
	s.rules[id] = len(s.list)
	s.list = append(s.list, r)
	return s.rules[id]
}

// meaning returns the description of a rule.
func meaning(id string) string {
	switch kind, name, _ := strings.Cut(id, "/"); kind {
	case "relation":
		for _, k := range relation.Kinds() {
			if k.Name == name {
				return k.Meaning
			}
		}
		return "The results differ by " + name + "."
	case "metric":
		return "The metric " + name + " did not pass the answer."
	case "unanswered":
		return "The agent gave no answer."
	}
	return "The answer could not be scored."
}

// message returns a SARIF message of several lines. Links and placeholders in them are escaped.
func message(lines ...string) string {
	for i := range lines {
		lines[i] = sarifEscapes.Replace(oneLine(lines[i]))
	}
	return strings.Join(lines, "\n")
}

var sarifEscapes = strings.NewReplacer(`\`, `\\`, `[`, `\[`, `]`, `\]`, `{`, `{{`, `}`, `}}`)

// Close writes the rules and the run's status.
func (s *sarif) Close() error {
	type driver struct {
		Name    string      `json:"name"`
		Version string      `json:"version,omitempty"`
		Rules   []sarifRule `json:"rules"`
	}
	type notification struct {
		Level   string    `json:"level"`
		Message sarifText `json:"message"`
	}
	type invocation struct {
		Successful    bool           `json:"executionSuccessful"`
		Notifications []notification `json:"toolExecutionNotifications,omitempty"`
	}
	end := struct {
		Invocations []invocation `json:"invocations,omitempty"`
		Tool        struct {
			Driver driver `json:"driver"`
		} `json:"tool"`
		Details struct {
			ID string `json:"id"`
		} `json:"automationDetails"`
		Columns string `json:"columnKind"`
	}{Columns: "utf16CodeUnits"}
	end.Tool.Driver = driver{"badger", s.o.Program, s.list}
	if s.list == nil {
		end.Tool.Driver.Rules = []sarifRule{}
	}
	// The part before the last slash is the category by which servers distinguish analyses.
	end.Details.ID = "badger/" + s.run
	if status := s.o.status(); status != "" {
		i := invocation{Successful: status == report.RunDone}
		if !i.Successful {
			i.Notifications = []notification{{sarifWarning, sarifText{message(report.Unfinished(status))}}}
		}
		end.Invocations = []invocation{i}
	}
	text, err := json.Marshal(&end)
	if err != nil {
		return err
	}
	_, _ = s.w.WriteString("\n],")
	_, _ = s.w.Write(printable.JSON(text[1:]))
	_, _ = s.w.WriteString("]}\n")
	return s.w.Flush()
}
