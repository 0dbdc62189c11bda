//go:build !no_duckdb

package store

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/connectors/duckdb"
	"github.com/badger-eval/badger/scoring"
)

// statement is a Select of any rows.
type statement struct {
	text   string
	args   []any
	fields int
}

func statementOf[T any](s Select[T]) statement { return statement{s.String(), s.Args, len(s.Fields)} }

// TestStatements holds that the columns of each statement of this package are as many as the fields that read them.
func TestStatements(t *testing.T) {
	conn, err := duckdb.OpenWith(t.Context(), "", duckdb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w := New(connectors.New(conn, duckdb.Dialect))
	defer w.Close()
	if err := w.Install(t.Context()); err != nil {
		t.Fatal(err)
	}
	all := everyStatement(t, w)
	for name, statements := range all {
		for _, s := range statements {
			rows, err := conn.Query(t.Context(), s.text, s.args...)
			if err != nil {
				t.Errorf("%s: %v\n%s", name, err, s.text)
				continue
			}
			if n := rows.Schema().NumFields(); n != s.fields {
				t.Errorf("%s: %d columns and %d fields: %s", name, n, s.fields, s.text)
			}
			rows.Release()
		}
	}
	for _, name := range functionsOfSelects(t) {
		if all[name] == nil {
			t.Errorf("no statement of %s is tried here", name)
		}
	}
}

// everyStatement are statements of this package by the function that makes them.
func everyStatement(t *testing.T, w *Store) map[string][]statement {
	t.Helper()
	d := w.SQL()
	now := time.Date(2025, 1, 2, 3, 4, 5, 0, time.UTC)
	run := scoring.RunID{ID: "r", By: scoring.By{Agent: "a", Version: "1", Batch: "b"}}
	ids, answer := []string{"c1", "c2"}, scoring.AnswerID{CaseID: "c1", By: run.By}
	q, err := w.query(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	q.versions = []string{"v9", "v10"}
	bare := inputs{Reader: Reader{Dialect: d, Missing: map[string]bool{"agent_runs.turn": true, "golden_set.tags": true}}}
	f, within := Filter{By: run.By, SetVersion: "v10"}, &keyRange{By: run.By, ids: ids}
	latest := Latest{RunID: run, Metrics: []string{"rose"}, Details: []string{"rose"}, ByJudge: true}
	pairs, least := pairsOf{from: latest, to: Latest{Everything: true, withoutGold: true}}, 0.5
	filter := PairFilter{Answers: true, Least: &least, Was: []string{"passed"}, Limit: 3, pairsOf: pairs, reader: q.Reader}
	of, scores := OfRun{RunID: run}, runScores{RunID: run}
	list := func() *caseList {
		return newCaseList(q, State{RunID: run, Baseline: run, Metric: "hybrid_ex", Mode: Disagrees, Search: "x", Sort: Sort{Column: "question"}}, scores, scores, false)
	}
	listed := func(s statement, err error) statement {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	counts, err0 := list().counts(Modes)
	paged, err1 := list().ids(25, 50)
	found, err2 := list().found(true)
	besides, err3 := list().neighbours("c1")
	sliced, err4 := list().slices([]string{"tag", "database"}, 3)
	firsts, err5 := list().first(3)
	number, err6 := list().count()
	parts, err7 := list().firstOfEach(groupColumn, 3)
	return map[string][]statement{
		"scheduledCalls":         {statementOf(scheduledCalls())},
		"backlogCounts":          {statementOf(backlogCounts(d))},
		"Reader.answeredBatches": {statementOf(q.answeredBatches())},
		"scoredBatches":          {statementOf(scoredBatches(d, true)), statementOf(scoredBatches(d, false))},
		"acceptedBatches":        {statementOf(acceptedBatches())},
		"sentinels":              {statementOf(sentinels())},
		"scoredMetrics":          {statementOf(scoredMetrics())},
		"verdicts":               {statementOf(verdicts(d, []scoring.RunID{run, run}, "hybrid_ex", ids))},
		"unsteady":               {statementOf(unsteady(d, []scoring.RunID{run}, "hybrid_ex", 5))},
		"Latest.scores":          {statementOf(latest.scores(d)), statementOf((&Latest{None: true}).scores(d)), statementOf((&Latest{Everything: true, Batches: ids}).scores(d)), statementOf((&Latest{Everything: true, Batches: ids, Runs: ids, Brief: true}).scores(d))},
		"runConfigs":             {statementOf(runConfigs())},
		"written":                {statementOf(written(d, ids))},
		"changed":                {statementOf(changed(d, "r"))},
		"removals":               {statementOf(removals())},
		"asked":                  {statementOf(asked(d, "run:r"))},
		"judged":                 {statementOf(judged(d, run))},
		"assessments":            {statementOf(assessments(d, AssessmentFilter{IDs: ids, Kind: "rose"}))},
		"paidBy":                 {statementOf(paidBy(d, "run:r", now))},
		"deletion.count":         {statementOf((&deletion{table: TableNamed("calls"), where: "expires_ms < " + d.Param(1), args: []any{now.UnixMilli()}}).count())},
		"baseTables":             {statementOf(baseTables(d))},
		"expiredRuns":            {statementOf(expiredRuns(d, now))},
		"assessmentIDs":          {statementOf(assessmentIDs(d, "scores", "c1")), statementOf(assessmentIDs(d, "sentinels", "c1"))},
		"Reader.textsOf":         {statementOf(q.textsOf("agent_runs", "sql", "c1"))},
		"callsNamed":             {statementOf(callsNamed(d, ids))},
		"claimsHeld":             {statementOf(claimsHeld(d, "me", ids))},
		"inputs.cases": {
			statementOf(q.cases(f, nil)),
			statementOf(q.cases(Filter{}, within)),
			statementOf(bare.cases(Filter{}, nil)),
		},
		"inputs.turns": {
			statementOf(q.turns(f, nil)),
			statementOf(q.turns(f, within)),
			statementOf(bare.turns(Filter{}, within)),
		},
		"inputs.questionsWithin": {
			statementOf(q.questionsWithin(f, within)),
			statementOf(bare.questionsWithin(Filter{}, within)),
		},
		"inputs.keys":           {statementOf(q.keys(f))},
		"inputs.byCase":         {statementOf(q.byCase())},
		"inputs.copies":         {statementOf(q.copies(f))},
		"inputs.spent":          {statementOf(q.spent(run.By)), statementOf(bare.spent(scoring.By{}))},
		"inputs.setVersions":    {statementOf(q.setVersions())},
		"inputs.questions":      {statementOf(q.questions(f))},
		"inputs.count":          {statementOf(q.count(f))},
		"folding":               {statementOf(folding("agent_runs"))},
		"inputs.questionsNamed": {statementOf(q.questionsNamed(f, ids))},
		"inputs.questionsOf":    {statementOf(q.questionsOf(of))},
		"OfRun.scores":          {statementOf(of.scores(d, scoreFields)), statementOf(of.scores(d, heldFields))},
		"OfRun.metrics":         {statementOf(of.metrics(d))},
		"OfRun.keys":            {statementOf(of.keys(d))},
		"shownViews":            {statementOf(shownViews(d.ShownViews))},
		"versions":              {statementOf(versions())},
		"promoted":              {statementOf(promoted(d, []any{"j"}))},
		"Reader.labelledScores": {statementOf(q.labelledScores(run.By))},
		"Reader.labellers":      {statementOf(q.labellers(run.By))},
		"logLabellers":          {statementOf(logLabellers(d, run.By))},
		"queuesNamed":           {statementOf(queuesNamed(d, "q"))},
		"queuesOf":              {statementOf(queuesOf(d, answer))},
		"queueItems":            {statementOf(queueItems(d, &ItemFilter{Queue: "q", Open: 2}))},
		"loggedLabels": {
			statementOf(loggedLabels(d, &LabelFilter{Newest: true})),
			statementOf(loggedLabels(d, &LabelFilter{Cases: ids})),
		},
		"queueProgress":            {statementOf(queueProgress(d, &Queue{ID: "q", Annotators: 2}, "me"))},
		"labelPairs":               {statementOf(labelPairs(d, "q"))},
		"leases":                   {statementOf(leases(d, "q", now))},
		"caseSignals":              {statementOf(caseSignals(d, run))},
		"inputs.answered":          {statementOf(q.answered(within))},
		"scoredCases":              {statementOf(scoredCases(d, run.By, ids))},
		"answersOfCase":            {statementOf(answersOfCase(d, "r", "c1"))},
		"inputs.results":           {statementOf(q.results(ids))},
		"runsListed":               {statementOf(runsListed(d, RunFilter{Text: "x", Limit: 2})), statementOf(runsListed(d, RunFilter{dated: true, Limit: 2}))},
		"runsNamed":                {statementOf(runsNamed(d, "r"))},
		"agentsOfRuns":             {statementOf(agentsOfRuns())},
		"groupsOfRun":              {statementOf(groupsOfRun(d, scores))},
		"unansweredOfRun":          {statementOf(unansweredOfRun(d, scores))},
		"casesOfRun":               {statementOf(casesOfRun(d, scores))},
		"metricsOfRun":             {statementOf(metricsOfRun(d, scores))},
		"figuresOfRuns":            {statementOf(figuresOfRuns(d, ids, ids))},
		"valuesOfRun":              {statementOf(valuesOfRun(d, scores, "rose"))},
		"scoresOfCase":             {statementOf(scoresOfCase(d, scores, "c1"))},
		"scoresOfCases":            {statementOf(scoresOfCases(d, scores, ids, ids))},
		"Reader.labelsOfCases":     {statementOf(q.labelsOfCases(run, ids))},
		"inputs.votes":             {statementOf(q.votes())},
		"Reader.answersGiven":      {statementOf(q.answersGiven(run.By, ids))},
		"pairsOf.counts":           {statementOf(pairs.counts(d))},
		"pairsOf.shared":           {statementOf(pairs.shared(d))},
		"PairFilter.count":         {statementOf(filter.count(d))},
		"PairFilter.page":          {statementOf(filter.page(d))},
		"caseList.counts":          {listed(statementOf(counts), err0)},
		"caseList.ids":             {listed(statementOf(paged), err1)},
		"caseList.found":           {listed(statementOf(found), err2)},
		"caseList.neighbours":      {listed(statementOf(besides), err3)},
		"caseList.slices":          {listed(statementOf(sliced), err4)},
		"caseList.first":           {listed(statementOf(firsts), err5)},
		"caseList.count":           {listed(statementOf(number), err6)},
		"caseList.firstOfEach":     {listed(statementOf(parts), err7)},
		"caseList.scoresOf":        {statementOf(list().scoresOf(ids, ids))},
		"caseList.questionsOfRows": {statementOf(list().questionsOfRows(ids))},
		"caseList.answersOfRows":   {statementOf(list().answersOfRows(ids))},
		"caseList.peopleOfRows":    {statementOf(list().peopleOfRows(ids))},
		"latestRuns":               {statementOf(latestRuns())},
		"rowsOfRun":                {statementOf(rowsOfRun(d, "r"))},
	}
}

// functionsOfSelects are the functions of this package that return a Select of certain rows.
func functionsOfSelects(t *testing.T) (names []string) {
	t.Helper()
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if !strings.HasSuffix(file.Name(), ".go") || strings.HasSuffix(file.Name(), "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file.Name(), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range parsed.Decls {
			f, is := decl.(*ast.FuncDecl)
			if !is || f.Type.TypeParams != nil || f.Type.Results == nil {
				continue
			}
			of, is := f.Type.Results.List[0].Type.(*ast.IndexExpr)
			if !is {
				continue
			}
			if name, is := of.X.(*ast.Ident); !is || name.Name != "Select" {
				continue
			}
			name := f.Name.Name
			if f.Recv != nil {
				receiver := f.Recv.List[0].Type
				if star, is := receiver.(*ast.StarExpr); is {
					receiver = star.X
				}
				if id, is := receiver.(*ast.Ident); is {
					name = id.Name + "." + name
				}
			}
			names = append(names, name)
		}
	}
	if len(names) < 50 {
		t.Errorf("only %d functions were found", len(names))
	}
	return names
}
