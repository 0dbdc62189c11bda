//go:build !no_duckdb

package site

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/internal/site/sitetest"
	"github.com/badger-eval/badger/internal/storedscores"
	"github.com/badger-eval/badger/scoring"
)

// judged1 was judged; another run of its batch has the execution accuracy.
var judged1 = scoring.RunID{ID: "judged-1.0", By: scoring.By{Agent: "atlas", Version: "1.0", Batch: "atlas-1.0"}}

// The page has the figures of the audit of the run's batch, and each reason leads to as many
// questions as it says.
func TestSuspects(t *testing.T) {
	w := sitetest.Shared(t)
	s := siteOver(t, w)
	src := storedscores.In(w)
	labels, err := src.Labels(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want, err := analysis.NewAudit(analysis.AuditInput{EX: "ex_bird", Labels: labels, Evidence: src.EvidenceOf(t.Context(), batchSide(judged1), append([]string{"ex_bird"}, analysis.AuditMetrics...)),
		Digests: func(cases []string) (map[scoring.AnswerID]analysis.Digest, error) {
			return src.Digests(t.Context(), cases)
		}})
	if err != nil {
		t.Fatal(err)
	}
	doc := shows(t, s, suspectsAddress(judged1, "", 1))
	table := func(label string) *goquery.Selection { return doc.Find(`[aria-label="` + label + `"] tbody tr`) }
	if n := table("Reasons").Length(); n != len(want.Reasons) || n < 2 || want.Labelled == 0 {
		t.Fatalf("%d reasons, want %d, on %d labels", n, len(want.Reasons), want.Labelled)
	}
	table("Reasons").Each(func(i int, row *goquery.Selection) {
		m, cells := &want.Reasons[i], texts(row)
		expected := []string{cells[0], m.By, strconv.Itoa(m.Cases), strconv.Itoa(m.N), dash, share(m.Precision)}
		if m.Labelled > 0 {
			expected[4] = fmt.Sprintf("%d of %d", m.Accepted, m.Labelled)
		}
		if strings.Join(cells[:6], "|") != strings.Join(expected, "|") {
			t.Errorf("%q, want %q", cells, expected)
		}
		href, ok := row.Find("a").Attr("href")
		if !ok {
			return
		}
		if n := shows(t, s, href).Find(`[aria-label="Questions"] tbody tr`).Length(); n != m.Cases {
			t.Errorf("%s leads to %d questions, want %d", m.Reason, n, m.Cases)
		}
	})
	if n := table("Questions").Length(); n != len(want.Suspects) {
		t.Errorf("%d questions, want %d", n, len(want.Suspects))
	}
}

// Gold is suspect where the agents of other batches gave the same result that EX rejects.
func TestOtherAgentsAgainstGold(t *testing.T) {
	w := sitetest.Open(t, sitetest.Small(t))
	s := siteOver(t, w)
	const rejected = "bank-07" // by version 2.0; 1.0 failed otherwise
	suspect := func() bool {
		t.Helper()
		found := false
		shows(t, s, suspectsAddress(night2, analysis.AgentsAgree, 1)).Find(`[aria-label="Questions"] tbody tr`).Each(func(_ int, row *goquery.Selection) {
			found = found || texts(row)[0] == rejected
		})
		return found
	}
	set := func(result string) {
		t.Helper()
		if err := w.Exec(t.Context(), "UPDATE badger.agent_runs SET result = "+result+" WHERE case_id = '"+rejected+"' AND agent_version = '1.0'"); err != nil {
			t.Fatal(err)
		}
	}
	set(`'{"columns": ["n"], "rows": [[-1]]}'`)
	if suspect() {
		t.Errorf("%s is suspect although the agents differ", rejected)
	}
	set("(SELECT MIN(CAST(result AS VARCHAR)) FROM badger.agent_runs WHERE case_id = '" + rejected + "' AND agent_version = '2.0' AND batch_id = 'atlas-2.0')")
	if !suspect() {
		t.Errorf("two versions agree on %s against gold, and it is not suspect", rejected)
	}
}

// Of a judged run the page has both taxonomies of FLEX.
func TestTaxonomies(t *testing.T) {
	s := siteOver(t, sitetest.Shared(t))
	headings := shows(t, s, suspectsAddress(judgedRun, "", 1)).Find("h2").Text()
	for _, want := range []string{"Errors, by FLEX", "Why right answers differ, by FLEX"} {
		if !strings.Contains(headings, want) {
			t.Errorf("there is no table %q among %q", want, headings)
		}
	}
}
