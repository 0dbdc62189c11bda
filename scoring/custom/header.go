package custom

import (
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/lazyregexp"
	"github.com/badger-eval/badger/internal/strictyaml"
)

// Kind is the format of a judge file.
type Kind string

// The kinds.
const (
	Starlark   Kind = "starlark"
	Expression Kind = "expression"
	Prompt     Kind = "prompt"
	SQL        Kind = "sql"
)

// kinds lists all kinds.
var kinds = []Kind{Starlark, Expression, Prompt, SQL}

// header holds the declarations of a judge file of any kind. In a Starlark file they are the arguments of judge(…),
// in the other kinds the keys of the YAML.
type header struct {
	Kind    Kind     `yaml:"kind"`
	Name    string   `yaml:"name"`
	Version int      `yaml:"version"`
	Summary string   `yaml:"summary"`
	Needs   []string `yaml:"needs"`
	Scores  []string `yaml:"scores"` // metrics whose scores the judge reads

	Range         []*float64 `yaml:"range"` // minimum and maximum value; null: none
	Threshold     *float64   `yaml:"threshold"`
	LowerIsBetter bool       `yaml:"lower_is_better"`
	Labels        []string   `yaml:"labels"`
	// the value if the judge needs the agent's result and the agent's query failed; if absent, the score is not
	// applicable then
	FailedQuery *float64 `yaml:"failed_query"`

	Config  map[string]yaml.Node `yaml:"config"`
	Formula string               `yaml:"formula"`
	Source  string               `yaml:"source"`
	Example string               `yaml:"example"`

	Limits struct {
		Steps     int64 `yaml:"steps"`
		MemoryMiB int64 `yaml:"memory_mib"`
	} `yaml:"limits"`

	// Keys of the kinds expression, prompt and sql.
	Result      map[string]yaml.Node `yaml:"result"` // expressions for the members of the score
	Prompt      yaml.Node            `yaml:"prompt"`
	System      string               `yaml:"system"`
	Schema      map[string]any       `yaml:"schema"`
	Temperature *float64             `yaml:"temperature"`
	MaxTokens   int                  `yaml:"max_tokens"`
	SQL         string               `yaml:"sql"`
	Examples    []Example            `yaml:"examples"`
	Improved    map[string]any       `yaml:"improved"` // provenance of an improved judge; for readers
}

var (
	judgeName = lazyregexp.New(`^[a-z][a-z0-9_]{0,39}$`)
)

// decodeHeader decodes a header from YAML or JSON. An unknown key is an error.
func decodeHeader(text []byte) (*header, error) {
	var h header
	switch err := strictyaml.Decode(text, &h); {
	case errors.Is(err, io.EOF):
		return nil, errcode.New(errcode.InvalidArgument, "the file is empty")
	case errors.Is(err, strictyaml.ErrDocuments):
		return nil, errcode.New(errcode.InvalidArgument, "%w", err)
	case err != nil:
		return nil, errcode.New(errcode.InvalidArgument, "%w", err)
	}
	return &h, nil
}

// check returns an error, which names the key, if a key that all kinds have is invalid.
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

// checkKind returns an error if the kind requires a missing key or does not allow a given one.
func (h *header) checkKind() error {
	set := map[string]bool{
		"result": len(h.Result) > 0, "prompt": h.Prompt.Kind != 0, "system": h.System != "", "schema": h.Schema != nil,
		"temperature": h.Temperature != nil,
		"max_tokens":  h.MaxTokens != 0, "sql": h.SQL != "", "examples": h.Examples != nil, "improved": h.Improved != nil,
	}
	wanted := map[Kind][]string{Expression: {"result"}, Prompt: {"result", "prompt", "schema"}, SQL: {"sql"}}[h.Kind]
	allowed := map[Kind][]string{Prompt: {"system", "temperature", "max_tokens", "examples", "improved"}}[h.Kind]
	for _, k := range wanted {
		if !set[k] {
			return errcode.New(errcode.InvalidArgument, "%s: missing; a judge of kind %s has it", k, h.Kind)
		}
	}
	for _, k := range []string{"result", "prompt", "system", "schema", "temperature", "max_tokens", "sql", "examples",
		"improved"} {
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

// rangeText returns the range in the form of [scoring.Metric].Range.
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

// limits returns the limits that the judge sets, or the defaults, reduced to most. A limit that the judge sets above
// most is an error.
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
