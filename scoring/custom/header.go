package custom

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/badger-eval/badger/internal/errcode"
)

// Kind is the way in which a judge is written.
type Kind string

// The kinds.
const (
	Starlark   Kind = "starlark"
	Expression Kind = "expression"
	Prompt     Kind = "prompt"
	SQL        Kind = "sql"
)

// kinds lists them.
var kinds = []Kind{Starlark, Expression, Prompt, SQL}

// header is the declaration that judges of all kinds have. A Starlark file gives it as the arguments of judge(…),
// the other kinds as keys of their YAML.
type header struct {
	Kind    Kind     `yaml:"kind"`
	Name    string   `yaml:"name"`
	Version int      `yaml:"version"`
	Summary string   `yaml:"summary"`
	Needs   []string `yaml:"needs"`
	Scores  []string `yaml:"scores"` // metrics whose scores the judge reads

	Range         []*float64 `yaml:"range"` // least and most value; null: no bound
	Threshold     *float64   `yaml:"threshold"`
	LowerIsBetter bool       `yaml:"lower_is_better"`
	Labels        []string   `yaml:"labels"`
	// value where the judge needs the agent's result and the query failed; not applicable if absent
	FailedQuery *float64 `yaml:"failed_query"`

	Config  map[string]yaml.Node `yaml:"config"`
	Formula string               `yaml:"formula"`
	Source  string               `yaml:"source"`
	Example string               `yaml:"example"`

	Limits struct {
		Steps     int64 `yaml:"steps"`
		MemoryMiB int64 `yaml:"memory_mib"`
	} `yaml:"limits"`

	// For the declarative kinds.
	Result      map[string]yaml.Node `yaml:"result"` // expressions for the members of the score
	Prompt      yaml.Node            `yaml:"prompt"`
	System      string               `yaml:"system"`
	Schema      map[string]any       `yaml:"schema"`
	Temperature *float64             `yaml:"temperature"`
	MaxTokens   int                  `yaml:"max_tokens"`
	SQL         string               `yaml:"sql"`
}

var (
	judgeName   = regexp.MustCompile(`^[a-z][a-z0-9_]{0,39}$`)
	unknownKey  = regexp.MustCompile(`^line (\d+): field (\S+) not found in type .*$`)
	wrongType   = regexp.MustCompile(`^line (\d+): cannot unmarshal (?:!!\w+ )?.* into (.*)$`)
	lineMessage = regexp.MustCompile(`^(?:yaml: )?line (\d+): (.*)$`)
)

// decodeHeader reads YAML, which includes JSON. Unknown keys are errors.
func decodeHeader(text []byte) (*header, error) {
	var h header
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	if err := d.Decode(&h); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, errcode.New(errcode.InvalidArgument, "the file is empty")
		}
		return nil, errcode.New(errcode.InvalidArgument, "%s", yamlMessage(err))
	}
	if err := d.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, errcode.New(errcode.InvalidArgument, "expected one YAML document")
	}
	return &h, nil
}

// yamlMessage describes an error in the terms of a judge file, without showing its content.
func yamlMessage(err error) string {
	msg := strings.TrimPrefix(err.Error(), "yaml: ")
	var t *yaml.TypeError
	if errors.As(err, &t) && len(t.Errors) > 0 {
		msg = t.Errors[0]
	}
	if m := unknownKey.FindStringSubmatch(msg); m != nil {
		return fmt.Sprintf("line %s: unknown key %.40q", m[1], m[2])
	}
	if m := wrongType.FindStringSubmatch(msg); m != nil {
		return fmt.Sprintf("line %s: expected %s", m[1], kindOfGo(m[2]))
	}
	if m := lineMessage.FindStringSubmatch(msg); m != nil {
		return fmt.Sprintf("line %s: the YAML cannot be read", m[1])
	}
	return "the YAML cannot be read"
}

func kindOfGo(t string) string {
	switch {
	case strings.HasPrefix(t, "[]"):
		return "a list"
	case strings.HasPrefix(t, "map"), strings.HasPrefix(t, "struct"), strings.HasPrefix(t, "custom."):
		return "a mapping"
	case strings.HasPrefix(t, "int"):
		return "a whole number"
	case strings.HasPrefix(t, "float"):
		return "a number"
	case t == "bool":
		return "true or false"
	}
	return "text"
}

// check checks what all kinds have in common. Errors name the key.
func (h *header) check() error {
	bad := func(format string, args ...any) error {
		return errcode.New(errcode.InvalidArgument, format, args...)
	}
	switch {
	case !slices.Contains(kinds, h.Kind):
		return bad("kind: expected one of %s", kindList())
	case !judgeName.MatchString(h.Name) || strings.HasSuffix(h.Name, "_json"):
		return bad("name: expected at most 40 of small letters, digits and _, a letter first, not ending in _json: it is the name of an SQL function")
	case h.Version < 1:
		return bad("version: expected a whole number from 1")
	case strings.TrimSpace(h.Summary) == "" || len(h.Summary) > 1000:
		return bad("summary: expected a sentence of at most 1000 characters that describes the result of the judge")
	case len(h.Needs) == 0 && len(h.Scores) == 0:
		return bad("needs: expected what the judge reads of a case, such as [question, response]")
	case len(h.Scores) > 50:
		return bad("scores: expected at most 50 metrics")
	case len(h.Range) != 0 && len(h.Range) != 2:
		return bad("range: expected [minimum, maximum]; use null for no bound")
	case len(h.Range) == 2 && h.Range[0] != nil && h.Range[1] != nil && !(*h.Range[0] < *h.Range[1]):
		return bad("range: the first number must be below the second")
	case h.Threshold != nil && !h.inRange(*h.Threshold):
		return bad("threshold: is outside the range")
	case h.FailedQuery != nil && !h.inRange(*h.FailedQuery):
		return bad("failed_query: is outside the range")
	case h.FailedQuery != nil && !slices.Contains(h.Needs, "result"):
		return bad("failed_query: the judge does not need the agent's result")
	case h.LowerIsBetter && h.Threshold == nil:
		return bad("lower_is_better: has no meaning without a threshold")
	case h.Limits.Steps < 0 || h.Limits.MemoryMiB < 0:
		return bad("limits: must not be negative")
	case len(h.Labels) > 100:
		return bad("labels: expected at most 100")
	}
	seen := map[string]bool{}
	for i, l := range h.Labels {
		if l == "" || len(l) > 60 || seen[l] {
			return bad("labels[%d]: expected distinct words of at most 60 characters", i)
		}
		seen[l] = true
	}
	return h.checkKind()
}

// checkKind refuses keys that belong to another kind.
func (h *header) checkKind() error {
	set := map[string]bool{
		"result": len(h.Result) > 0, "prompt": h.Prompt.Kind != 0, "system": h.System != "", "schema": h.Schema != nil,
		"temperature": h.Temperature != nil,
		"max_tokens":  h.MaxTokens != 0, "sql": h.SQL != "",
	}
	wanted := map[Kind][]string{Expression: {"result"}, Prompt: {"result", "prompt", "schema"}, SQL: {"sql"}}[h.Kind]
	allowed := map[Kind][]string{Prompt: {"system", "temperature", "max_tokens"}}[h.Kind]
	for _, k := range wanted {
		if !set[k] {
			return errcode.New(errcode.InvalidArgument, "%s: missing; a judge of kind %s has it", k, h.Kind)
		}
	}
	for _, k := range []string{"result", "prompt", "system", "schema", "temperature", "max_tokens", "sql"} {
		if set[k] && !slices.Contains(wanted, k) && !slices.Contains(allowed, k) {
			return errcode.New(errcode.InvalidArgument, "%s: a judge of kind %s has none", k, h.Kind)
		}
	}
	return nil
}

func kindList() string {
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = string(k)
	}
	return strings.Join(names, ", ")
}

func (h *header) inRange(v float64) bool {
	return len(h.Range) == 0 || (h.Range[0] == nil || v >= *h.Range[0]) && (h.Range[1] == nil || v <= *h.Range[1])
}

// rangeText is the range as metrics state it.
func (h *header) rangeText() string {
	if len(h.Range) == 0 {
		return "any number"
	}
	number := func(v *float64) string { return strconv.FormatFloat(*v, 'g', -1, 64) }
	switch least, most := h.Range[0], h.Range[1]; {
	case least == nil && most == nil:
		return "any number"
	case most == nil:
		return "from " + number(least)
	case least == nil:
		return "up to " + number(most)
	default:
		return number(least) + " to " + number(most)
	}
}

// limits returns the limits that the judge sets, or the default, and never more than most.
func (h *header) limits(most Limits) (Limits, error) {
	l := defaultLimits
	if h.Limits.Steps > 0 {
		l.Steps = h.Limits.Steps
	}
	if h.Limits.MemoryMiB > 0 {
		l.Memory = times(h.Limits.MemoryMiB, 1<<20)
	}
	if h.Limits.Steps > most.Steps {
		return l, errcode.New(errcode.ResourceExhausted, "limits.steps: at most %d are allowed here", most.Steps)
	}
	if l.Memory > most.Memory && h.Limits.MemoryMiB > 0 {
		return l, errcode.New(errcode.ResourceExhausted, "limits.memory_mib: at most %d are allowed here", most.Memory>>20)
	}
	return Limits{min(l.Steps, most.Steps), min(l.Memory, most.Memory)}, nil
}
