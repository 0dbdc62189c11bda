package metric

import (
	"context"
	"fmt"
	"strings"

	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
)

func init() {
	const (
		source = "BADGER, section 7.1, equation "
		logged = " Not applicable if calls are required and the agent's calls were not logged: absent or NULL, unlike an empty list."
		match  = " Calls are the same if their names are. With the option match set to exact, their arguments must be the " +
			"same too (numbers by value, members in any order). With subset, the call must have at least the expected " +
			"arguments. Arguments that the specification omits may have any value. A call whose arguments are not an object, " +
			"such as a list or broken text, is none that has expected arguments. The option ignore_keys names " +
			"arguments that never count. ignore_tools names tools that count neither as expected nor as called. "
	)
	register(scoring.Metric{
		Name: "tool_recall", Display: "Right tools called",
		Version: 5, Group: "agent",
		Branch: scoring.BranchAgentic, FailedQuery: scoring.FailedIsIgnored("the metric reads tool calls, not the query"),
		Needs:   scoring.FieldTools,
		Summary: "Whether the agent called every tool it was expected to call.",
		Range:   "0 or 1",
		Formula: "1 if the set of required calls is within the set of calls made, else 0." + match +
			"Optional tools are not required. If no tool is expected (an empty list) there is nothing to miss: 1." + logged,
		Source:    source + "2",
		Gaming:    "An agent that calls every tool has 1. Read it with tool_excess. By default names alone are compared: a call with wrong arguments counts unless match is exact or subset.",
		Example:   "expected search, run_sql; called search, search, run_sql, chart: 1. Called search, chart: 0, detail.missing is [run_sql], detail.share 0.5.",
		Threshold: scoring.At(1), Options: toolDeclared.OptionSet, Score: toolRecall,
	})
	register(scoring.Metric{
		Name: "tool_order", Display: "Tools in the right order",
		Version: 5, Group: "agent",
		Branch: scoring.BranchAgentic, FailedQuery: scoring.FailedIsIgnored("the metric reads tool calls, not the query"),
		Needs:   scoring.FieldTools,
		Summary: "Whether the agent made the expected calls in the expected order, with any calls in between.",
		Range:   "0 or 1",
		Formula: "1 if different calls t_j1, …, t_jm can be found for the required tools i_1, …, i_m so that a tool follows those that must precede it, else 0." + match +
			`A list is a sequence; {"tools": [{"id", "name", "arguments", "optional", "after": [ids]}]} is a partial order. Optional tools hold no place themselves. ` +
			"If no tool is expected there is nothing to order: 1." + logged,
		Source:    source + "3; the partial order is an extension",
		Gaming:    "An agent that calls every tool again and again has every order somewhere. Read it with tool_excess.",
		Example:   "expected search, run_sql; called search, chart, run_sql: 1. Called run_sql, search: 0, detail.in_order is 1 of 2.",
		Threshold: scoring.At(1), Options: toolDeclared.OptionSet, Score: toolOrder,
	})
	register(scoring.Metric{
		Name: "tool_excess", Display: "No needless tool calls",
		Version: 5, Group: "agent",
		Branch: scoring.BranchAgentic, FailedQuery: scoring.FailedIsIgnored("the metric reads tool calls, not the query"),
		Needs:   scoring.FieldTools,
		Summary: "Share of the agent's calls that were called for: 1 without an excess call, less for repeated or needless ones.",
		Range:   "0 to 1",
		Formula: "1 − |E| / |T|: T the calls made, E the fewest that are left when each call takes at most one expected call that it is, and no two the same one." + match +
			"Optional tools are not in excess. Not applicable if no tool is expected, none was called, or the calls were not logged.",
		Source:  source + "4",
		Gaming:  "It is not applicable to an agent that calls nothing. Read it with tool_recall. By default names alone are compared.",
		Example: "expected search, run_sql; called search, search, run_sql, chart: the second search and chart are in excess, 1 − 2/4 = 0.5.",
		Options: toolDeclared.OptionSet, Score: toolExcess,
	})
}

func toolRecall(_ context.Context, in *scoring.Input) (scoring.Score, error) {
	u, err := toolUseOf(in)
	if u == nil {
		return noTools(err)
	}
	need, _ := u.spec.required()
	if len(need) > 0 && !u.logged {
		return scoring.NotApplicable(notLogged), nil
	}
	missing := u.missing()
	found := len(need) - len(missing)
	s := scoring.OK(0,
		fmt.Sprintf("%d of %s made; missing: %s", found, were(len(need), "expected call"), u.named(missing)))
	switch {
	case len(need) == 0:
		s.Value, s.Reason = 1, "no tool call is required"
	case len(missing) == 0:
		s.Value, s.Reason = 1, "every expected call was made"
	}
	s.Detail = struct {
		Required int      `json:"required"`
		Found    int      `json:"found"`
		Called   int      `json:"called"`
		Share    float64  `json:"share"` // the share of required tools that were called
		Missing  []string `json:"missing,omitempty"`
		ReadAs   []string `json:"read_as,omitempty"` // the forms of other products that calls were parsed from
	}{len(need), found, len(u.calls), ratio(found, len(need)), u.names(missing), u.readAs}
	return s, nil
}

func toolOrder(_ context.Context, in *scoring.Input) (scoring.Score, error) {
	u, err := toolUseOf(in)
	if u == nil {
		return noTools(err)
	}
	if need, _ := u.spec.required(); len(need) > 0 && !u.logged {
		return scoring.NotApplicable(notLogged), nil
	}
	n, required, sure := u.inOrder()
	s := scoring.OK(0, fmt.Sprintf("%d of %s made in order", n, were(required, "expected call")))
	switch {
	case !sure:
		s = scoring.Abstain(
			"equal calls are expected in too many places of the order to try every way; give them arguments and match by these")
	case required == 0:
		s.Value, s.Reason = 1, "no tool call is required"
	case n == required:
		s.Value, s.Reason = 1, "the expected calls were made in order"
	}
	s.Detail = struct {
		Required int      `json:"required"`
		InOrder  int      `json:"in_order"` // the maximum number that can be assigned in order
		Called   int      `json:"called"`
		ReadAs   []string `json:"read_as,omitempty"`
	}{required, n, len(u.calls), u.readAs}
	return s, nil
}

func toolExcess(_ context.Context, in *scoring.Input) (scoring.Score, error) {
	u, err := toolUseOf(in)
	switch {
	case u == nil:
		return noTools(err)
	case len(u.spec.tools) == u.spec.ignored:
		return scoring.NotApplicable("no tool call is expected"), nil
	case !u.logged:
		return scoring.NotApplicable(notLogged), nil
	case len(u.calls) == 0:
		return scoring.NotApplicable("the agent called no tool"), nil
	}
	excess := u.excess()
	s := scoring.OK(1-float64(len(excess))/float64(len(u.calls)), "no call was in excess")
	names := make([]string, len(excess))
	for k, c := range excess {
		names[k] = u.calls[c]
	}
	if len(excess) > 0 {
		s.Reason = fmt.Sprintf("%d of %s in excess: %s", len(excess), were(len(u.calls), "call"), shorten(names))
	}
	s.Detail = struct {
		Called int      `json:"called"`
		Excess []string `json:"excess"` // names of the excess calls, in the order of the calls
		ReadAs []string `json:"read_as,omitempty"`
	}{len(u.calls), names, u.readAs}
	return s, nil
}

// notLogged is the reason of a case that expects tool calls and has no list of those that were made.
const notLogged = "the agent's tool calls were not logged"

// noTools returns the error of an invalid specification, or a score that is not applicable because the case has no
// specification.
func noTools(err error) (scoring.Score, error) {
	if err != nil {
		return scoring.Score{}, err
	}
	return scoring.NotApplicable("no expected tools given"), nil
}

func (u *toolUse) names(tools []int) []string {
	names := make([]string, len(tools))
	for k, i := range tools {
		names[k] = u.spec.tools[i].name
	}
	return names
}

func (u *toolUse) named(tools []int) string { return shorten(u.names(tools)) }

// shorten returns the quoted names, separated by commas; of more than six, the first five and the number of the
// others.
func shorten(names []string) string {
	quoted := make([]string, 0, 6)
	for i, name := range names {
		if i == 5 && len(names) > 6 {
			return strings.Join(quoted, ", ") + fmt.Sprintf(" and %d more", len(names)-5)
		}
		quoted = append(quoted, printable.Quoted(name))
	}
	return strings.Join(quoted, ", ")
}

// were returns "1 call was" or "2 calls were", with the given noun.
func were(n int, noun string) string {
	return printable.Count(n, noun) + " " + printable.Verb(n, "was", "were")
}

// ratio returns part / whole, and 1 if whole is 0.
func ratio(part, whole int) float64 {
	if whole == 0 {
		return 1
	}
	return float64(part) / float64(whole)
}
