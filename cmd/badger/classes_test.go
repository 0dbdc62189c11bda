package main

import (
	"flag"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/sample"
)

// classes are tests that are alike, by what they have in common: they show one kind of behaviour in several ways, and
// each takes a second or more. One of each class runs; all do if tests are thorough or chosen by -run or -skip.
var classes = map[string][]string{
	"figures in all forms": {"TestSameDigits", "TestMaskedForms", "TestEveryFormHasTheSameFigures",
		"TestExportsOfTheWebReport"},
	"a run and its report": {"TestRunAndReportKnowTheSameQuestions", "TestRunAndReportWriteTheSame",
		"TestPlacesOfSARIF"},
	"statements say what a run says": {"TestSQLSaysWhatARunSays", "TestEnginesGiveTheSameFigures",
		"TestEvaluateInDuckDB", "TestEvaluateWritesWhatRunWrites", "TestBacklogInDuckDB"},
	"schedules": {"TestNights", "TestWeekOfNights", "TestCron", "TestEvaluateDistrusts", "TestLookBack",
		"TestBatchesInProgress", "TestAnswerThatAlwaysFails", "TestWebhookThatHangs"},
	"keys and names": {"TestNightsWithSeveralBatches", "TestKeysOfEveryType", "TestRowsWithoutAKey",
		"TestRetryWhereNamesAreNULL", "TestAnswersThatAreThereTwice", "TestLatestScoresOfSeveralRuns"},
	"tables of others": {"TestVersionsOfTheGoldenSet", "TestStatementsOfThePage", "TestTablesThatLackSomething",
		"TestQuestionsWithoutAnAnswer", "TestTablesOfTheFirstRelease"},
	"runs that continue": {"TestResumedRunsEndAlike", "TestResumingAfterAGoldHasChanged", "TestResumingAPart",
		"TestSubmitAfterAKill"},
	"labels": {"TestLabelsAreOfOneVersion", "TestLabelsWithWhiteSpace", "TestQueueCommand",
		"TestCalibrateFromAWarehouse", "TestLabelsOutliveTheServer"},
	"published answers": {"TestDeliveredTableIsMadeFromLabels", "TestPolicyOnDatabasesLeftOut",
		"TestPolicySaysWhomNotToAsk", "TestAuditAndRankOfSpider2AndFLEX", "TestAuditOfROSEVEC", "TestRankingOfMaple"},
	"published judges":   {"TestPanelOfPublishedJudges", "TestCalibrateReproducesPublishedAgreement"},
	"gates":              {"TestFailOnDrop", "TestFailOnDropOfRunAndReport", "TestMaxBroken", "TestPrimaryIsDeclaredOnce"},
	"values of flags":    {"TestEmptyChoice", "TestEmptyValues", "TestMistakesInNames", "TestCommandsOpenCasesAlike"},
	"comments of forges": {"TestAction", "TestGitLabComponent"},
	"builds": {"TestBuildWithoutAConnector", "TestBuildWithoutBigQuery",
		"TestBuildWithoutTheEmbeddedEngine"},
	"submissions": {"TestSubmitEndToEnd", "TestSubmitTables", "TestSubmitWithoutWritableDatabase",
		"TestSubmittedReferencesAreGuarded"},
	"deployments":              {"TestDatabricksAppServes", "TestCloudRunServes", "TestServiceConfiguration"},
	"databases of queries":     {"TestRunExecutesOnMariaDB", "TestRunExecutesOnSQLServer", "TestRunExecutesOnSQLite"},
	"warehouses that are away": {"TestServeWithoutItsWarehouse", "TestServeEndsWithoutItsWarehouse"},
	"judges of a run": {"TestRunAsksAPanel", "TestRunAsksAJudge", "TestSQLAsksAJudge", "TestRunWithFaultyJudge",
		"TestJudgesByTag", "TestJudgesOfMetrics"},
	"sentinels": {"TestRunSentinels", "TestJudgeSentinelPanel", "TestSentinelGateWithoutVerdicts",
		"TestJudgeSentinel"},
	"judges that improve": {"TestJudgeImprove", "TestJudgeImprove_NoLeakage", "TestJudgeImprove_NotShown"},
	"limits of memory":    {"TestBombs", "TestSQLJudgesAreBounded"},
}

// drawOfClasses has the tests skipped that are not drawn of their classes.
func drawOfClasses() {
	flag.Parse()
	value := func(name string) string { return flag.Lookup("test." + name).Value.String() }
	if sample.Thorough() || value("run") != "" || value("skip") != "" {
		return
	}
	var names []string
	for _, class := range slices.Sorted(maps.Keys(classes)) {
		tests := classes[class]
		drawn := sample.One(class, len(tests))
		names = append(append(names, tests[:drawn]...), tests[drawn+1:]...)
	}
	if err := flag.Set("test.skip", "^("+strings.Join(names, "|")+")$"); err != nil {
		panic(err)
	}
}

// A class has tests that exist, at least two, and none of another class.
func TestClasses(t *testing.T) {
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	in := map[string]string{} // class by test
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^func (Test\w+)\(t \*testing\.T\)`).FindAllStringSubmatch(string(text), -1) {
			in[m[1]] = ""
		}
	}
	for class, tests := range classes {
		if len(tests) < 2 {
			t.Errorf("%s: %d tests, expected two or more", class, len(tests))
		}
		for _, name := range tests {
			if other, is := in[name]; !is || other != "" {
				t.Errorf("%s: %s does not exist, or is of the class %q too", class, name, other)
			}
			in[name] = class
		}
	}
}
