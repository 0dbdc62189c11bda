// Package sqlpartstest writes SQL for tests.
package sqlpartstest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Conditions returns n spellings of one random condition over columns a, b and c of one table. They are equivalent,
// also for NULL, and differ in NOT, in the order of the sides of a comparison, in <> and !=, in BETWEEN and two
// comparisons, in IN of one value and =, in parentheses and in the order of the operands of AND and OR.
func Conditions(seed uint64, n int) []string {
	c := atomOrChain(rand.New(rand.NewPCG(seed, 1)), 2)
	out := make([]string, n)
	for i := range out {
		out[i] = c.write(rand.New(rand.NewPCG(seed, uint64(i)+2)), false)
	}
	return out
}

// condition is a chain of AND or OR if args is set, else an atomic condition.
type condition struct {
	or   bool
	args []condition

	column, op string // op is a key of opposites
	values     []string
}

// opposites maps operators to their negations.
var opposites = map[string]string{
	"=": "<>", "<>": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">", "BETWEEN": "NOT BETWEEN", "NOT BETWEEN": "BETWEEN",
	"LIKE": "NOT LIKE", "NOT LIKE": "LIKE",
	"IN": "NOT IN", "NOT IN": "IN", "IS": "IS NOT", "IS NOT": "IS",
}

var mirrored = map[string]string{"=": "=", "<>": "<>", "<": ">", ">": "<", "<=": ">=", ">=": "<="}

var operators = []string{"=", "<>", "<", "<=", ">", ">=", "BETWEEN", "NOT BETWEEN", "LIKE", "NOT LIKE", "IN", "NOT IN",
	"IS", "IS NOT"}

func atomOrChain(r *rand.Rand, depth int) condition {
	if depth > 0 && r.IntN(3) == 0 {
		c := condition{or: r.IntN(2) == 0}
		for range 2 + r.IntN(2) {
			c.args = append(c.args, atomOrChain(r, depth-1))
		}
		return c
	}
	c := condition{column: []string{"a", "b", "c"}[r.IntN(3)], op: operators[r.IntN(len(operators))]}
	low := r.IntN(50)
	switch c.op {
	case "BETWEEN", "NOT BETWEEN":
		c.values = []string{fmt.Sprint(low), fmt.Sprint(low + 1 + r.IntN(50))}
	case "LIKE", "NOT LIKE":
		c.values = []string{[]string{"'x%'", "'%y'", "'z_'"}[r.IntN(3)]}
	case "IN", "NOT IN":
		c.values = []string{fmt.Sprint(low), fmt.Sprint(low + 1)}
	case "IS", "IS NOT":
		c.values = []string{"NULL"}
	default:
		c.values = []string{[]string{fmt.Sprint(low), "'north'"}[r.IntN(2)]}
	}
	return c
}

// write returns a random spelling of the condition, or of its negation if opposite is set.
func (c *condition) write(r *rand.Rand, opposite bool) string {
	switch r.IntN(5) {
	case 0:
		return "NOT (" + c.write(r, !opposite) + ")"
	case 1:
		return "(" + c.write(r, opposite) + ")"
	}
	if len(c.args) > 0 {
		parts := make([]string, len(c.args))
		for i, at := range r.Perm(len(c.args)) {
			if parts[i] = c.args[at].write(r, opposite); len(c.args[at].args) > 0 || strings.Contains(parts[i], " ") {
				parts[i] = "(" + parts[i] + ")"
			}
		}
		return strings.Join(parts, map[bool]string{true: " OR ", false: " AND "}[c.or != opposite])
	}
	op := c.op
	if opposite {
		op = opposites[op]
	}
	if r.IntN(4) == 0 {
		return "NOT " + c.atom(r, opposites[op])
	}
	return c.atom(r, op)
}

func (c *condition) atom(r *rand.Rand, op string) string {
	switch {
	case op == "BETWEEN" && r.IntN(2) == 0:
		return "(" + c.compared(r, ">=", 0) + " AND " + c.compared(r, "<=", 1) + ")"
	case op == "NOT BETWEEN" && r.IntN(2) == 0:
		return "(" + c.compared(r, "<", 0) + " OR " + c.compared(r, ">", 1) + ")"
	case op == "BETWEEN", op == "NOT BETWEEN":
		return c.column + " " + op + " " + c.values[0] + " AND " + c.values[1]
	case op == "IN", op == "NOT IN":
		return c.column + " " + op + " (" + strings.Join(c.values, ", ") + ")"
	case op == "=" && r.IntN(4) == 0:
		return c.column + " IN (" + c.values[0] + ")"
	case op == "<>" && r.IntN(4) == 0:
		return c.column + " NOT IN (" + c.values[0] + ")"
	case mirrored[op] != "":
		return c.compared(r, op, 0)
	}
	return c.column + " " + op + " " + c.values[0]
}

func (c *condition) compared(r *rand.Rand, op string, value int) string {
	left, right := c.column, c.values[value]
	if r.IntN(3) == 0 {
		left, op, right = right, mirrored[op], left
	}
	if op == "<>" && r.IntN(2) == 0 {
		op = "!="
	}
	return left + " " + op + " " + right
}
