package judgebackend

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
)

// Settings are a deployment's settings of a model. Requests through a [Stack] take them.
type Settings struct {
	// Token limit of replies: of requests without a limit, and of those with a lower one. It is not part of a request's
	// hash; the others are.
	MaxTokens int
	Sampling
}

// Sampling holds the settings of a request, other than the temperature, that change the reply. Zero fields are not
// sent.
type Sampling struct {
	ReasoningEffort string          `json:"reasoning_effort,omitempty"` // such as low
	TopP            *float64        `json:"top_p,omitempty"`            // above 0, at most 1
	Seed            *int64          `json:"seed,omitempty"`
	Body            json.RawMessage `json:"body,omitempty"` // an object: further members of the request's body
}

// isZero reports whether no setting is set.
func (s Sampling) isZero() bool {
	return s.ReasoningEffort == "" && s.TopP == nil && s.Seed == nil && len(s.Body) == 0
}

// String describes the settings for the name of a judge, such as reasoning_effort low, seed 7; "" if none is set. The
// body appears as the start of its hash.
func (s Sampling) String() string {
	var parts []string
	if s.ReasoningEffort != "" {
		parts = append(parts, "reasoning_effort "+s.ReasoningEffort)
	}
	if s.TopP != nil {
		parts = append(parts, "top_p "+strconv.FormatFloat(*s.TopP, 'g', -1, 64))
	}
	if s.Seed != nil {
		parts = append(parts, "seed "+strconv.FormatInt(*s.Seed, 10))
	}
	if len(s.Body) > 0 {
		h := newDigest()
		h.text(string(canonicalJSON(s.Body)))
		parts = append(parts, "body "+h.hex()[:8])
	}
	return strings.Join(parts, ", ")
}

// Members returns the further members of the request's body, sorted by name.
func (s Sampling) Members() (names []string, values map[string]json.RawMessage) {
	_ = json.Unmarshal(s.Body, &values) // validated
	return slices.Sorted(maps.Keys(values)), values
}

// on returns r with the settings.
func (s Settings) on(r Request) Request {
	if s.MaxTokens > r.MaxTokens {
		r.MaxTokens = s.MaxTokens
	}
	if r.Sampling.isZero() {
		r.Sampling = s.Sampling
	}
	return r
}

// validate returns an error if a setting is out of range or malformed.
func (s Sampling) validate() error {
	bad := func(format string, args ...any) error { return errcode.New(errcode.InvalidArgument, format, args...) }
	switch {
	case s.ReasoningEffort != "" && !isLabel(s.ReasoningEffort):
		return bad("reasoning_effort: expected a word such as low")
	case s.TopP != nil && !(*s.TopP > 0 && *s.TopP <= 1):
		return bad("top_p: %v; expected a number above 0, at most 1", *s.TopP)
	}
	if len(s.Body) == 0 {
		return nil
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(s.Body, &members) != nil {
		return bad("body: expected an object")
	}
	for name := range members {
		if !isLabel(name) || strings.ContainsAny(name, "./") {
			return bad("body: %.40q; expected names of letters, digits, - and _", name)
		}
	}
	return nil
}

// CheckSettings returns an error if the settings are invalid, the provider of spec does not take one of them, or the
// body has a member that badger sets.
func (p Providers) CheckSettings(spec string, s Settings) error {
	if s.MaxTokens < 0 || s.MaxTokens > math.MaxInt32 {
		return errcode.New(errcode.InvalidArgument, "max_tokens: expected a positive number")
	}
	if err := s.validate(); err != nil {
		return err
	}
	provider, _ := p.Find(spec)
	for _, set := range []struct {
		name string
		is   bool
	}{
		{"reasoning_effort", s.ReasoningEffort != ""}, {"top_p", s.TopP != nil}, {"seed", s.Seed != nil},
		{"body", len(s.Body) > 0},
	} {
		if set.is && !slices.Contains(provider.Settings, set.name) {
			also := ""
			if slices.Contains(provider.Settings, "body") {
				also = "; body sets other members of its requests"
			}
			return errcode.New(errcode.InvalidArgument, "%s: unsupported by %s%s", set.name, provider.Name, also)
		}
	}
	names, _ := s.Members()
	for _, name := range names {
		if slices.Contains(provider.Members, name) {
			return errcode.New(errcode.InvalidArgument, "body: badger sets %s itself", name)
		}
	}
	return nil
}

// SettingsOf returns the settings of a backend that has some, such as a [Stack].
func SettingsOf(b Backend) Settings {
	if c, ok := b.(interface{ Settings() Settings }); ok {
		return c.Settings()
	}
	return Settings{}
}

// GoString returns the text of [Sampling.String], so that %#v does not show the body either.
func (s Settings) GoString() string { return fmt.Sprintf("judge settings (%s)", s.String()) }
