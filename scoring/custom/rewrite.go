package custom

import (
	"go.starlark.net/syntax"

	"github.com/badger-eval/badger/internal/errcode"
)

// Names of the guards in rewritten scripts. A script cannot contain them, since they are not identifiers.
const (
	guardAttr    = "guard attr"
	guardKey     = "guard key"
	guardStore   = "guard store"
	guardSlice   = "guard slice"
	guardSpread  = "guard spread"
	guardDict    = "guard dict"
	guardAugment = "guard augment"
	guardOp      = "guard op " // followed by the operator
)

// rewriter replaces the operations of a script that may cost more than one step or allocate more than a few bytes by
// calls of guards.
type rewriter struct {
	literals map[string]bool // string literals of the source
	idents   map[string]bool // identifiers in the source
}

// rewrite rewrites a parsed file in place. A load statement is an error.
func (r *rewriter) rewrite(f *syntax.File) error {
	r.literals, r.idents = map[string]bool{}, map[string]bool{}
	return r.stmts(f.Stmts)
}

func (r *rewriter) stmts(list []syntax.Stmt) error {
	for i := range list {
		if err := r.stmt(&list[i]); err != nil {
			return err
		}
	}
	return nil
}

func (r *rewriter) stmt(at *syntax.Stmt) error {
	switch s := (*at).(type) {
	case *syntax.AssignStmt:
		s.RHS = r.expr(s.RHS)
		if s.Op == syntax.EQ {
			s.LHS = r.target(s.LHS)
			return nil
		}
		*at = r.augmented(s)
	case *syntax.DefStmt:
		r.params(s.Params)
		return r.stmts(s.Body)
	case *syntax.ExprStmt:
		s.X = r.expr(s.X)
	case *syntax.ForStmt:
		s.Vars, s.X = r.target(s.Vars), r.expr(s.X)
		return r.stmts(s.Body)
	case *syntax.WhileStmt:
		s.Cond = r.expr(s.Cond)
		return r.stmts(s.Body)
	case *syntax.IfStmt:
		s.Cond = r.expr(s.Cond)
		if err := r.stmts(s.True); err != nil {
			return err
		}
		return r.stmts(s.False)
	case *syntax.ReturnStmt:
		if s.Result != nil {
			s.Result = r.expr(s.Result)
		}
	case *syntax.LoadStmt:
		return errcode.New(errcode.PermissionDenied,
			"line %d: load is unsupported: a judge is one file; copy the definitions into it", s.Load.Line)
	}
	return nil
}

// augmented rewrites x += y to an assignment of a guard's result, and a[i] += y to a guard that evaluates a[i]
// once.
func (r *rewriter) augmented(s *syntax.AssignStmt) syntax.Stmt {
	op := s.Op - syntax.PLUS_EQ + syntax.PLUS
	name := guardOp + s.Op.String()
	lhs := s.LHS
	for {
		p, ok := lhs.(*syntax.ParenExpr)
		if !ok {
			break
		}
		lhs = p.X
	}
	switch lhs := lhs.(type) {
	case *syntax.Ident:
		r.idents[lhs.Name] = true
		return &syntax.AssignStmt{OpPos: s.OpPos, Op: syntax.EQ, LHS: lhs,
			RHS: call(name, s.OpPos, &syntax.Ident{NamePos: lhs.NamePos, Name: lhs.Name}, s.RHS)}
	case *syntax.IndexExpr:
		return &syntax.ExprStmt{
			X: call(guardAugment, s.OpPos, r.expr(lhs.X), r.expr(lhs.Y), text(op.String(), s.OpPos), s.RHS)}
	}
	s.LHS = r.target(s.LHS)
	return s // the interpreter reports the error
}

// target rewrites the expressions within the left side of an assignment.
func (r *rewriter) target(e syntax.Expr) syntax.Expr {
	switch e := e.(type) {
	case *syntax.ParenExpr:
		e.X = r.target(e.X)
	case *syntax.TupleExpr:
		for i := range e.List {
			e.List[i] = r.target(e.List[i])
		}
	case *syntax.ListExpr:
		for i := range e.List {
			e.List[i] = r.target(e.List[i])
		}
	case *syntax.IndexExpr:
		e.X = r.expr(e.X)
		e.Y = call(guardStore, e.Lbrack, r.expr(e.Y))
	case *syntax.DotExpr:
		e.X = r.expr(e.X)
	}
	return e
}

func (r *rewriter) params(params []syntax.Expr) {
	for _, p := range params {
		if b, ok := p.(*syntax.BinaryExpr); ok { // name=default
			b.Y = r.expr(b.Y)
		}
	}
}

func (r *rewriter) exprs(list []syntax.Expr) {
	for i := range list {
		list[i] = r.expr(list[i])
	}
}

func (r *rewriter) expr(e syntax.Expr) syntax.Expr {
	switch e := e.(type) {
	case *syntax.Ident:
		r.idents[e.Name] = true
	case *syntax.Literal:
		if s, ok := e.Value.(string); ok {
			r.literals[s] = true
		}
	case *syntax.ParenExpr:
		e.X = r.expr(e.X)
	case *syntax.CallExpr:
		e.Fn = r.expr(e.Fn)
		r.args(e.Args)
	case *syntax.DotExpr:
		return call(guardAttr, e.Dot, r.expr(e.X), text(e.Name.Name, e.NamePos))
	case *syntax.Comprehension:
		return r.comprehension(e)
	case *syntax.DictExpr:
		for _, entry := range e.List {
			d := entry.(*syntax.DictEntry) //nolint:forcetypeassert // the parser makes no other
			d.Key, d.Value = r.key(d.Key, d.Colon), r.expr(d.Value)
		}
		return call(guardDict, e.Lbrace, e)
	case *syntax.LambdaExpr:
		r.params(e.Params)
		e.Body = r.expr(e.Body)
	case *syntax.ListExpr:
		r.exprs(e.List)
	case *syntax.TupleExpr:
		r.exprs(e.List)
	case *syntax.CondExpr:
		e.Cond, e.True, e.False = r.expr(e.Cond), r.expr(e.True), r.expr(e.False)
	case *syntax.UnaryExpr:
		if e.X != nil {
			e.X = r.expr(e.X)
		}
	case *syntax.BinaryExpr:
		e.X, e.Y = r.expr(e.X), r.expr(e.Y)
		if e.Op != syntax.AND && e.Op != syntax.OR {
			return call(guardOp+e.Op.String(), e.OpPos, e.X, e.Y)
		}
	case *syntax.SliceExpr:
		args := []syntax.Expr{r.expr(e.X)}
		for _, x := range []syntax.Expr{e.Lo, e.Hi, e.Step} {
			if x == nil {
				args = append(args, &syntax.Ident{NamePos: e.Lbrack, Name: "None"})
			} else {
				args = append(args, r.expr(x))
			}
		}
		return call(guardSlice, e.Lbrack, args...)
	case *syntax.IndexExpr:
		e.X, e.Y = r.expr(e.X), r.key(e.Y, e.Lbrack)
	}
	return e
}

func (r *rewriter) comprehension(e *syntax.Comprehension) syntax.Expr {
	for _, c := range e.Clauses {
		switch c := c.(type) {
		case *syntax.ForClause:
			c.Vars, c.X = r.target(c.Vars), r.expr(c.X)
		case *syntax.IfClause:
			c.Cond = r.expr(c.Cond)
		}
	}
	if d, ok := e.Body.(*syntax.DictEntry); ok {
		d.Key, d.Value = r.key(d.Key, d.Colon), r.expr(d.Value)
	} else {
		e.Body = r.expr(e.Body)
	}
	return e
}

func (r *rewriter) args(args []syntax.Expr) {
	for i, a := range args {
		switch a := a.(type) {
		case *syntax.BinaryExpr:
			if a.Op == syntax.EQ { // name=value
				a.Y = r.expr(a.Y)
				continue
			}
		case *syntax.UnaryExpr:
			if a.Op == syntax.STAR || a.Op == syntax.STARSTAR {
				a.X = call(guardSpread, a.OpPos, r.expr(a.X))
				continue
			}
		}
		args[i] = r.expr(a)
	}
}

// key returns an expression for a dict key with a guard that charges its hashing, unless the key is a literal.
func (r *rewriter) key(e syntax.Expr, at syntax.Position) syntax.Expr {
	if l, ok := e.(*syntax.Literal); ok {
		return r.expr(l)
	}
	return call(guardKey, at, r.expr(e))
}

// call returns a call of a guard, whose errors are reported at the position at.
func call(name string, at syntax.Position, args ...syntax.Expr) syntax.Expr {
	return &syntax.CallExpr{Fn: &syntax.Ident{NamePos: at, Name: name}, Lparen: at, Args: args, Rparen: at}
}

func text(s string, at syntax.Position) syntax.Expr {
	return &syntax.Literal{Token: syntax.STRING, TokenPos: at, Raw: syntax.Quote(s, false), Value: s}
}
