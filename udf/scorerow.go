package udf

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// rowFunctions returns the functions that score rows of badger's tables. Procedures in a warehouse call them to do
// what badger run does.
func rowFunctions(engine *scoring.Engine, version, judge string) []Function {
	if judge == "" {
		judge = "none"
	}
	return []Function{
		{
			Name: "score_row", Group: "general", Result: JSON, Version: 1, Volatile: true, Waits: true, Cost: scoring.CostJudged,
			Doc: "Scores one answer as badger run does and returns a JSON array of rows of badger.scores.",
			Params: []Param{
				{"row_json", JSON, false, `the row of agent_runs and that of its question: {"run": {…}, "golden": {…} or null, "copies": how many rows golden_set has of the question}`},
				{"metrics", VARCHAR, true, listedMetrics},
			},
			Row: func(ctx context.Context, in *Batch, i int, out *Column) error {
				var rows []scoring.StoredScore
				var err error
				reading(ctx, func(ctx context.Context) {
					rows, err = scoreRow(ctx, engine, bytesOf(in.Text(0, i)), MetricNames(in.Text(1, i)))
				})
				if err != nil {
					return err
				}
				text, err := json.Marshal(rows)
				if err != nil {
					return errcode.New(errcode.Internal, "the scores cannot be written as JSON: %w", err)
				}
				out.SetText(i, textOf(text))
				return nil
			},
			Envelope: func(err error) string {
				b, _ := json.Marshal([]scoring.StoredScore{stored(scoring.Fail(err), "")}) // plain data
				return string(b)
			},
		},
		{
			Name: "run_settings", Group: "general", Result: JSON, Version: 1, Volatile: true,
			Doc: "The contents of a row of badger.eval_runs before the run starts, as a JSON object: metrics (a list), versions, config, judge; reason states why the metrics cannot be scored.",
			Params: []Param{
				{"metrics", VARCHAR, true, listedMetrics},
			},
			Row: func(_ context.Context, in *Batch, i int, out *Column) error {
				text, err := settings(engine, MetricNames(in.Text(0, i)), version, judge)
				if err != nil {
					return err
				}
				out.SetText(i, text)
				return nil
			},
		},
	}
}

// chosen returns the metrics that names select (scoring.Engine.Choose), without those that need a judge but have
// none.
func chosen(engine *scoring.Engine, names []string) ([]*scoring.Metric, error) {
	return engine.Choose(names,
		func(m *scoring.Metric) bool { return m.Needs&scoring.FieldJudge == 0 || engine.HasJudge(m.Name) })
}

func settings(engine *scoring.Engine, names []string, version, judge string) (string, error) {
	metrics, err := chosen(engine, names)
	if err != nil {
		return "", err
	}
	var s struct {
		Metrics  []string `json:"metrics"`
		Versions struct {
			Badger  string            `json:"badger"`
			Judges  map[string]string `json:"judges,omitempty"`
			Metrics map[string]int    `json:"metrics"`
		} `json:"versions"`
		Config     scoring.Config `json:"config"`
		ConfigHash string         `json:"config_hash"`
		Judge      string         `json:"judge"`
	}
	s.Versions.Badger, s.Versions.Metrics, s.Versions.Judges = version, map[string]int{}, map[string]string{}
	s.Config, s.ConfigHash, s.Judge = engine.Config(), engine.Config().Hash(), judge
	for _, m := range metrics {
		s.Metrics = append(s.Metrics, m.Name)
		s.Versions.Metrics[m.Name] = m.Version
		if m.Group == "custom" { // of a judge file
			s.Versions.Judges[m.Name] = m.Source
		}
	}
	b, err := json.Marshal(s)
	return textOf(b), err
}

// scoreRow scores the answer in data with the chosen metrics. If the answer cannot be read, each metric has a failed
// score.
func scoreRow(ctx context.Context, engine *scoring.Engine, data []byte, names []string) ([]scoring.StoredScore, error) {
	metrics, err := chosen(engine, names)
	if err != nil {
		return nil, err
	}
	var scores []scoring.Score
	cs, err := caseOfRow(data)
	if err == nil {
		scores, err = engine.ScoreMetrics(ctx, cs, metrics)
	}
	if err != nil {
		if ctx.Err() != nil {
			return nil, err // nothing is known of the answer
		}
		scores = nil
		for range metrics {
			scores = append(scores, scoring.Fail(err))
		}
	}
	var gold, answer *string
	if cs != nil {
		gold, answer = new(cs.GoldHash()), new(cs.AnswerHash())
	}
	hash := engine.Config().Hash()
	out := make([]scoring.StoredScore, len(scores))
	for i, s := range scores {
		s.Metric, s.Version = metrics[i].Name, metrics[i].Version
		out[i] = stored(s, hash)
		out[i].GoldHash, out[i].AnswerHash = gold, answer
	}
	return out, nil
}

func stored(s scoring.Score, hash string) scoring.StoredScore {
	row, err := s.Stored(hash)
	if err != nil {
		f := scoring.Fail(
			errcode.New(errcode.Internal, "the evidence of the score cannot be written as JSON; this is a bug in badger"))
		f.Metric, f.Version = s.Metric, s.Version
		row, _ = f.Stored(hash) // it has no detail
	}
	return row
}

func caseOfRow(data []byte) (*scoring.Case, error) {
	var row struct {
		Run    map[string]json.RawMessage `json:"run"`
		Golden map[string]json.RawMessage `json:"golden"`
		Copies int64                      `json:"copies"`
	}
	if json.Unmarshal(data, &row) != nil || row.Run == nil { // its error would show the text
		return nil, errcode.New(errcode.InvalidArgument,
			`row_json: expected {"run": {…}, "golden": {…} or null, "copies": n}`)
	}
	return scoring.CaseOfRows(cellsOf(row.Run), cellsOf(row.Golden), row.Copies)
}

// cellsOf returns the cells of a row that SQL converted to JSON, by column name in lower case: some warehouses write
// names in upper case.
func cellsOf(row map[string]json.RawMessage) scoring.Cells {
	lower := make(map[string]string, len(row))
	for name, raw := range row {
		text := string(bytes.TrimSpace(raw))
		if text == "null" {
			continue
		}
		if text != "" && text[0] == '"' {
			_ = json.Unmarshal(raw, &text) // it has been read before
		}
		lower[strings.ToLower(name)] = text
	}
	return func(column string) string { return lower[column] }
}
