package metric

import (
	"fmt"
	"slices"
	"strings"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/toolcalls"
)

// toolOptions are the options of the tool metrics.
type toolOptions struct {
	Match       string   `json:"match"`
	IgnoreKeys  []string `json:"ignore_keys"`
	IgnoreTools []string `json:"ignore_tools"`
}

var toolDeclared = scoring.DeclareOptions(toolOptions{Match: "name"}, nil,
	scoring.Option{
		Name: "match", Choices: []string{"name", "exact", "subset"},
		Doc: "When two calls are the same: name, the names are; exact, the arguments are equal too; subset, at least the expected arguments are present.",
	},
	scoring.Option{Name: "ignore_keys", Doc: "Arguments that are not compared, at every depth."},
	scoring.Option{Name: "ignore_tools",
		Doc: "Tools that count neither as expected nor as called, such as one that only reads."},
)

// toolUse is an expected specification, the calls that were made, and which calls match which expected tools.
type toolUse struct {
	spec  *toolSpec
	calls []string // names, in the order they were made
	// logged is false if it is unknown which calls were made. readAs are the forms that they were parsed from.
	logged bool
	readAs []string
	// fits holds the ascending indexes of the expected tools that each call may match. Equal calls share the list.
	fits [][]int
}

// toolUseOf parses the specification and the calls of a case, once for all tool metrics with the same options. It
// returns nil without an error if expected.tools is null.
func toolUseOf(in *scoring.Input) (*toolUse, error) {
	o, err := toolDeclared.Read(in)
	if err != nil {
		return nil, err
	}
	type key struct{ match, keys, tools string }
	type made struct {
		use *toolUse
		err error
	}
	m := scoring.Memo(in, key{o.Match, strings.Join(o.IgnoreKeys, "\x00"), strings.Join(o.IgnoreTools, "\x00")},
		func() made {
			spec, err := parseToolSpec(in.Case.Expected.Tools)
			if spec == nil {
				return made{err: err}
			}
			spec.ignore(o.IgnoreTools)
			calls := slices.DeleteFunc(slices.Clone(in.Case.Agent.ToolCalls),
				func(c scoring.ToolCall) bool { return slices.Contains(o.IgnoreTools, c.Name) })
			use := matchTools(spec, calls, o)
			use.logged, use.readAs = in.Case.Agent.ToolCalls != nil, toolcalls.Titles(in.Case.Agent.ToolCalls)
			return made{use: use}
		})
	return m.use, m.err
}

func matchTools(spec *toolSpec, calls []scoring.ToolCall, o toolOptions) *toolUse {
	byName := map[string][]int{}
	for i, t := range spec.tools {
		byName[t.name] = append(byName[t.name], i)
	}
	m := argumentMatch{subset: o.Match == "subset", ignore: map[string]bool{}}
	for _, k := range o.IgnoreKeys {
		m.ignore[k] = true
	}
	u := &toolUse{spec: spec, calls: make([]string, len(calls)), fits: make([][]int, len(calls))}
	for c, call := range calls {
		u.calls[c] = call.Name
		candidates := byName[call.Name]
		if o.Match == "name" || len(candidates) == 0 {
			u.fits[c] = candidates
			continue
		}
		got, readable := parseArguments(call.Arguments)
		for _, i := range candidates {
			if want := spec.tools[i].arguments; want == nil || readable && m.objects(want, got) {
				u.fits[c] = append(u.fits[c], i)
			}
		}
	}
	return u
}

// missing returns the indexes of the required tools that no call matches. A call may match several tools: one call is
// enough for a tool that is expected twice (equation 2 is about sets).
func (u *toolUse) missing() []int {
	called := make([]bool, len(u.spec.tools))
	for _, fits := range u.fits {
		for _, i := range fits {
			called[i] = true
		}
	}
	var missing []int
	for i, t := range u.spec.tools {
		if !called[i] && !t.optional {
			missing = append(missing, i)
		}
	}
	return missing
}

// excess returns the indexes of the calls that are left without an expected call when as many calls as possible are
// assigned to different expected calls. Earlier calls are assigned first.
//
// Each call in turn searches for an expected call that is free, or that becomes free if its holder moves to another
// one (an augmenting path of a bipartite matching). Expected calls that a failed search visited cannot help a later
// one, so all failed searches together visit each expected call once.
func (u *toolUse) excess() []int {
	const nobody = -1
	holder := make([]int, len(u.spec.tools))
	for i := range holder {
		holder[i] = nobody
	}
	seen := make([]int, len(u.spec.tools)) // number of the last search that visited it, from 1
	hopeless := make([]bool, len(u.spec.tools))
	var place func(c, search int) bool
	place = func(c, search int) bool {
		for _, i := range u.fits[c] {
			if holder[i] == nobody {
				holder[i] = c
				return true
			}
		}
		for _, i := range u.fits[c] {
			if seen[i] == search || hopeless[i] {
				continue
			}
			seen[i] = search
			if place(holder[i], search) {
				holder[i] = c
				return true
			}
		}
		return false
	}
	var excess []int
	for c := range u.fits {
		if place(c, c+1) {
			continue
		}
		excess = append(excess, c)
		for i := range seen {
			hopeless[i] = hopeless[i] || seen[i] == c+1
		}
	}
	return excess
}

// Limits of the search of inOrder: the number of states that are kept, and the number of steps.
const (
	maxOrders     = 2000
	maxOrderSteps = 2_000_000
)

// inOrder returns the maximum number n of required tools that can be assigned to different calls such that the calls
// respect the partial order, and the number of required tools. If the search exceeds its limits, sure is false and n
// is a lower bound.
//
// The calls are read once. A state is the set of tools found so far; where a call may be one of
// several tools, each choice is a state. Taking a tool is never worse than taking none, since
// whatever can follow still can. So states multiply only where equal calls are expected in
// different places of a partial order.
func (u *toolUse) inOrder() (n, required int, sure bool) {
	need, index := u.spec.required()
	twins := u.twins(need, index)
	states := []string{strings.Repeat("0", len(need))}
	steps := 0
	sure = true
	for _, fits := range u.fits {
		if len(fits) == 0 {
			continue
		}
		var next []string
		seen := map[string]bool{}
		add := func(s string) {
			if !seen[s] {
				seen[s] = true
				next = append(next, s)
			}
		}
		for _, s := range states {
			taken := map[int]bool{}
			for _, i := range fits {
				t := index[i]
				if t < 0 || s[t] == '1' || taken[twins[t]] {
					continue
				}
				steps += 1 + len(need[t].after)
				if !slices.ContainsFunc(need[t].after, func(j int) bool { return s[j] == '0' }) {
					taken[twins[t]] = true
					add(s[:t] + "1" + s[t+1:])
				}
			}
			if len(taken) == 0 {
				add(s)
			}
		}
		if states = next; len(states) > maxOrders {
			states, sure = states[:maxOrders], false
		}
		if steps > maxOrderSteps {
			sure = false
			break
		}
	}
	for _, s := range states {
		n = max(n, strings.Count(s, "1"))
	}
	return n, len(need), sure || n == len(need)
}

// twins returns a number for each required tool. Tools that match the same calls and have the same predecessors and
// successors share a number, since it does not matter which of them a call is assigned to.
func (u *toolUse) twins(need []expectedTool, index []int) []int {
	place := make([]strings.Builder, len(need))
	for t := range need {
		after := slices.Sorted(slices.Values(need[t].after))
		fmt.Fprint(&place[t], need[t].name, after)
		for _, j := range after {
			fmt.Fprint(&place[j], " <", t)
		}
	}
	for c, fits := range u.fits {
		for _, i := range fits {
			if t := index[i]; t >= 0 {
				fmt.Fprint(&place[t], " ", c)
			}
		}
	}
	numbers := map[string]int{}
	twins := make([]int, len(need))
	for t := range place {
		key := place[t].String()
		if _, ok := numbers[key]; !ok {
			numbers[key] = t
		}
		twins[t] = numbers[key]
	}
	return twins
}
