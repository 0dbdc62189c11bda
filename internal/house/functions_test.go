package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// longLists are the functions outside of tests that have more than five parameters, and why.
var longLists = map[string]string{
	"connectors/duckdb/add.go: Add":                                   "a method of an interface of driver",
	"connectors/postgres/internal/value/record.go: appendBinaryArray": "the decoder's arguments, and what is decoded",
	"internal/analysis/rank.go: rank":                                 "the sources, what is chosen of them, and a report of progress",
	"internal/analysis/sides.go: CompareSides":                        "two sides of two sources, and options",
	"internal/site/trend.go: trendOf":                                 "what the address names, and its source",
	"internal/storedscores/storedscores.go: Compare":                  "a method of an interface of analysis",
	"internal/storedscores/storedscores.go: compare":                  "as Compare",
	"scoring/align/accept.go: Accept":                                 "two tables, the evidence, the proposal and limits",
	"scoring/cell/compare.go: rowSumInto":                             "the innermost loop, with buffers on its caller's stack",
	"scoring/cell/join.go: join":                                      "two lists of columns, two sizes and two options",
	"sql/store/pages.go: RememberOf":                                  "as Remember, with the runs named",
}

// branchy are the functions outside of tests that have more than forty branches, and why.
var branchy = map[string]string{
	"connectors/drivertest/pages.go: pages":                 steps,
	"connectors/drivertest/tables.go: tables":               steps,
	"internal/arrowtable/value.go: value":                   perKind,
	"scoring/align/codes.go: codeReadings":                  conditions,
	"scoring/cell/period.go: parsePeriod":                   perKind,
	"scoring/cell/view.go: Read":                            perKind,
	"scoring/counterexample/bounded.go: constants":          perKind,
	"scoring/counterexample/carry_call.go: aggregate":       perKind,
	"scoring/counterexample/carry_call.go: call":            perKind,
	"scoring/counterexample/carry_call.go: window":          conditions,
	"scoring/counterexample/carry_expr.go: bare":            perKind,
	"scoring/counterexample/carry_expr.go: compare":         perKind,
	"scoring/counterexample/carry_more.go: numberFunctions": perKind,
	"scoring/counterexample/carry_recursive.go: recursive":  conditions,
	"scoring/counterexample/carry_time.go: ofBigQuery":      perKind,
	"scoring/counterexample/carry_time.go: conversion":      perKind,
	"scoring/counterexample/values.go: pool":                perKind,
	"scoring/question/roles.go: question":                   perKind,
	"scoring/question/roles.go: step":                       perKind,
	"scoring/question/roles.go: with":                       conditions,
	"scoring/question/tokens.go: split":                     perKind,
	"scoring/sqlparts/bind_names.go: unqualified":           conditions,
	"scoring/sqlparts/determinism_order.go: aggregate":      perKind,
	"scoring/sqlparts/determinism_use.go: usesOf":           perKind,
	"scoring/sqlparts/parse_from.go: sourceSuffix":          perKind,
	"scoring/sqlparts/parse_primary.go: wordOperand":        perKind,
	"scoring/sqlparts/schema_read.go: column":               perKind,
	"scoring/sqlproof/build.go: element":                    perKind,
	"scoring/sqlproof/expr.go: call":                        perKind,
	"scoring/sqlproof/expr.go: expr":                        perKind,
	"scoring/sqlproof/functions.go: plainCall":              perKind,
	"scoring/sqlproof/rules.go: unwrap":                     conditions,
	"scoring/sqlproof/shapes.go: firstRows":                 conditions,
	"scoring/sqlproof/shapes.go: groupByKey":                conditions,
	"scoring/sqlproof/shapes.go: groupedCounts":             conditions,
	"scoring/sqlproof/shapes.go: groupedSource":             conditions,
	"scoring/sqlproof/shapes.go: overTerms":                 conditions,
	"scoring/sqlproof/shapes.go: partitions":                conditions,
	"scoring/sqlproof/shapes.go: soleFilter":                conditions,
	"scoring/sqltree/expr.go: expr":                         perKind,
	"scoring/units/name.go: name":                           conditions,
	"scoring/units/name.go: of":                             conditions,
	"scoring/units/question.go: Asked":                      conditions,
}

const (
	perKind    = "a case for each kind of node, word, type or function"
	conditions = "the conditions of one rule, in order"
	steps      = "the steps of a suite, in order"
)

// Functions have few parameters and few branches, or a reason here.
func TestFunctionsAreSmall(t *testing.T) {
	lists, branching := map[string]bool{}, map[string]bool{}
	files := token.NewFileSet()
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") ||
			strings.HasSuffix(path, ".pb.go") {
			return err
		}
		file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			name := strings.TrimPrefix(filepath.ToSlash(path), "../../") + ": " + f.Name.Name
			if f.Type.Params.NumFields() > 5 {
				lists[name] = true
			}
			if branches(f) > 40 {
				branching[name] = true
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		what    string
		found   map[string]bool
		reasons map[string]string
	}{{"more than five parameters", lists, longLists}, {"more than forty branches", branching, branchy}} {
		for name := range x.found {
			if x.reasons[name] == "" {
				t.Errorf("%s has %s; take a struct or make two functions of it", name, x.what)
			}
		}
		for name := range x.reasons {
			if !x.found[name] {
				t.Errorf("%s does not have %s any more: remove it from the list", name, x.what)
			}
		}
	}
}

// branches is the number of ways through a function, as McCabe counts them (A Complexity Measure, 1976).
func branches(f *ast.FuncDecl) int {
	n := 1
	ast.Inspect(f, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt, *ast.CommClause:
			n++
		case *ast.CaseClause:
			if node.List != nil {
				n++
			}
		case *ast.BinaryExpr:
			if node.Op == token.LAND || node.Op == token.LOR {
				n++
			}
		}
		return true
	})
	return n
}
