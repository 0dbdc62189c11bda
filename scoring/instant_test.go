package scoring_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// Both sides of what a time of an answer may be. The zero time stands for text that is not one.
func TestParseInstant(t *testing.T) {
	t.Parallel()
	utc := func(y int, m time.Month, d, hh, mm, ss, nanos int) time.Time {
		return time.Date(y, m, d, hh, mm, ss, nanos, time.UTC)
	}
	for text, want := range map[string]time.Time{
		"2025-01-13T02:00:00Z":               utc(2025, 1, 13, 2, 0, 0, 0),
		"2025-01-13 02:00:00":                utc(2025, 1, 13, 2, 0, 0, 0), // without a zone
		"2025-01-13 02:00:00+00":             utc(2025, 1, 13, 2, 0, 0, 0), // as PostgreSQL and DuckDB write it
		"2025-01-13T02:00:00.5-05:30":        utc(2025, 1, 13, 7, 30, 0, 5e8),
		"2025-01-13T02:00":                   utc(2025, 1, 13, 2, 0, 0, 0),
		"2025-01-13":                         utc(2025, 1, 13, 0, 0, 0, 0),
		"2025-01-13T02:00:00.123456999Z":     utc(2025, 1, 13, 2, 0, 0, 123456000), // microseconds are stored
		"2024-02-29T23:59:59.999999Z":        utc(2024, 2, 29, 23, 59, 59, 999999000),
		"9999-12-31T23:59:59Z":               utc(9999, 12, 31, 23, 59, 59, 0),
		"0001-01-01T00:00:01Z":               utc(1, 1, 1, 0, 0, 1, 0),
		"9999-12-31T23:59:59-01:00":          {}, // the year 10000 in UTC
		"0001-01-01T00:00:00+01:00":          {}, // the year 0
		"10000-01-01":                        {},
		"2023-02-29":                         {},
		"2025-01-13T25:00:00Z":               {},
		"13/01/2025":                         {},
		"1736733600":                         {}, // seconds since 1970
		"infinity":                           {},
		"yesterday":                          {},
		"":                                   {},
		"2025-01-13T02:00:00 Europe/Zurich ": {},
	} {
		got, ok := scoring.ParseInstant(text)
		if !got.Equal(want) || ok == want.IsZero() || got.Location() != time.UTC {
			t.Errorf("%q is %v, %v, want %v", text, got, ok, want)
		}
	}
}

func TestRanAtOfCases(t *testing.T) {
	t.Parallel()
	c, err := scoring.DecodeCase([]byte(`{"case_id": "q", "agent": {"ran_at": "2025-01-13T02:00:00+02:00"}}`))
	if err != nil || !c.Agent.RanAt.Equal(time.Date(2025, 1, 13, 0, 0, 0, 0, time.UTC)) || len(c.UnreadKeys) > 0 {
		t.Errorf("%+v, %v", c, err)
	}
	for _, absent := range []string{`{"case_id": "q"}`, `{"case_id": "q", "agent": {"ran_at": ""}}`, `{"case_id": "q", "ran_at": null}`} {
		if c, err := scoring.DecodeCase([]byte(absent)); err != nil || !c.Agent.RanAt.IsZero() {
			t.Errorf("%s: %+v, %v", absent, c, err)
		}
	}
	for text, want := range map[string]string{
		`{"case_id": "q", "agent": {"ran_at": "monday"}}`:                             `case "q": agent.ran_at is "monday"; expected a time such as 2025-01-13T02:00:00Z (without a zone it is UTC)`,
		`{"case_id": "q", "ran_at": "2025-13-01"}`:                                    `case "q": agent.ran_at is "2025-13-01"; expected a time such as 2025-01-13T02:00:00Z (without a zone it is UTC)`,
		`{"case_id": "q", "agent": {"ran_at": 17}}`:                                   `case: agent.ran_at is a JSON number, expected a text`,
		`{"case_id": "q", "ran_at": "2025-01-13", "agent": {"ran_at": "2025-01-13"}}`: "mean the same; keep one",
	} {
		if _, err := scoring.DecodeCase([]byte(text)); err == nil || !strings.Contains(err.Error(), want) || errcode.Of(err) != errcode.InvalidArgument {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// A line of a score file has the time of the answer, and reading the line returns the same time.
func TestRanAtOfScoreFiles(t *testing.T) {
	t.Parallel()
	for _, want := range []time.Time{{}, time.Date(2025, 1, 13, 2, 0, 0, 123456000, time.UTC)} {
		row := scoring.Row{AnswerID: scoring.AnswerID{CaseID: "q"}, RanAt: want,
			Score: scoring.Score{Metric: "m", Version: 1, Status: scoring.StatusOK, Value: 1}}
		line, err := json.Marshal(row)
		if err != nil || strings.Contains(string(line), "ran_at") == want.IsZero() {
			t.Fatalf("%s, %v", line, err)
		}
		var whole, key scoring.Row
		if err := json.Unmarshal(line, &whole); err != nil || whole.RanAt != want {
			t.Errorf("%s: %v, %v", line, whole.RanAt, err)
		}
		if err := key.UnmarshalKey(line); err != nil || key.RanAt != want {
			t.Errorf("the key of %s: %v, %v", line, key.RanAt, err)
		}
	}
}
