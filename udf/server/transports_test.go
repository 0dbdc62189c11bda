package server

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/flight"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/metadata"

	"github.com/badger-eval/badger/internal/fake/metrics"
	"github.com/badger-eval/badger/udf"
	"github.com/badger-eval/badger/udf/udfpb"
)

// transport sends a batch of texts ("\x00" is NULL) to a function and returns its results as JSON
// texts.
type transport struct {
	name string
	call func(t *testing.T, s *running, function string, rows [][]string) []string
}

var transports = []transport{
	{"catalogue", func(t *testing.T, s *running, function string, rows [][]string) []string {
		f, err := s.catalogue.Function(function)
		if err != nil {
			t.Fatal(err)
		}
		in := udf.NewBatch(f, len(rows[0]), 0)
		in.Rows = len(rows)
		for i, row := range rows {
			for k, v := range row {
				if v == "\x00" {
					in.Args[k].AppendNull()
				} else if wrong := in.Args[k].AppendText(v); wrong != "" {
					in.BadArgument(f, k, i, wrong)
				}
			}
		}
		out, err := s.catalogue.Call(context.Background(), f, in)
		if err != nil {
			t.Fatal(err)
		}
		return jsonOf(out)
	}},
	{"snowflake", func(t *testing.T, s *running, function string, rows [][]string) []string {
		return overHTTP(t, s.url+"/v1/snowflake/"+function, "data", "data", rows, true)
	}},
	{"bigquery", func(t *testing.T, s *running, function string, rows [][]string) []string {
		return overHTTP(t, s.url+"/v1/bigquery/"+function, "calls", "replies", rows, false)
	}},
	{"databricks_batch", func(t *testing.T, s *running, function string, rows [][]string) []string {
		return overHTTP(t, s.url+"/v1/databricks/"+function+"/batch", "rows", "results", rows, false)
	}},
	{"json", func(t *testing.T, s *running, function string, rows [][]string) []string {
		return overHTTP(t, s.url+"/v1/functions/"+function, "rows", "results", rows, false)
	}},
	{"databricks", func(t *testing.T, s *running, function string, rows [][]string) []string {
		f, _ := s.catalogue.Function(function)
		var out []string
		for _, row := range rows {
			args := map[string]any{}
			for k, v := range row {
				if v != "\x00" {
					args[f.Params[k].Name] = v
				}
			}
			body, _ := json.Marshal(args)
			status, reply, _ := post(t, s.url+"/v1/databricks/"+function, string(body))
			if status != 200 {
				t.Fatalf("databricks: %d %s", status, reply)
			}
			out = append(out, reply)
		}
		return out
	}},
	{"grpc", func(t *testing.T, s *running, function string, rows [][]string) []string {
		req := &udfpb.CallRequest{Function: function}
		for k := range rows[0] {
			texts, nulls := make([]string, len(rows)), make([]bool, len(rows))
			for i, row := range rows {
				if nulls[i] = row[k] == "\x00"; !nulls[i] {
					texts[i] = row[k]
				}
			}
			req.Arguments = append(req.Arguments, &udfpb.Column{Nulls: nulls, Values: &udfpb.Column_Texts{Texts: &udfpb.Texts{Values: texts}}})
		}
		resp, err := udfpb.NewScoringClient(dial(t, s.addr)).Call(context.Background(), req)
		if err != nil {
			t.Fatal(err)
		}
		c := &udf.Column{Nulls: resp.GetResult().GetNulls()}
		switch v := resp.GetResult().GetValues().(type) {
		case *udfpb.Column_Doubles:
			c.Type, c.Floats = udf.DOUBLE, v.Doubles.GetValues()
		case *udfpb.Column_Texts:
			c.Texts = v.Texts.GetValues()
			if strings.HasSuffix(function, "_json") {
				c.Type = udf.JSON
			}
		}
		if c.Nulls == nil {
			c.Nulls = make([]bool, len(rows))
		}
		return jsonOf(c)
	}},
	{"flight, RisingWave", func(t *testing.T, s *running, function string, rows [][]string) []string {
		return overFlight(t, context.Background(), s, function, rows, 1)
	}},
	{"flight, Databend, cut into slices", func(t *testing.T, s *running, function string, rows [][]string) []string {
		return overFlight(t, metadata.AppendToOutgoingContext(context.Background(), "x-databend-tenant", "t"), s, function, rows, 3)
	}},
}

func jsonOf(c *udf.Column) (out []string) {
	for i := range c.Nulls {
		out = append(out, string(udf.AppendValue(nil, c, i, false)))
	}
	return out
}

func overHTTP(t *testing.T, url, in, out string, rows [][]string, numbered bool) []string {
	t.Helper()
	list := make([][]any, len(rows))
	for i, row := range rows {
		if numbered {
			list[i] = append(list[i], i)
		}
		for _, v := range row {
			if v == "\x00" {
				list[i] = append(list[i], nil)
			} else {
				list[i] = append(list[i], v)
			}
		}
	}
	body, _ := json.Marshal(map[string]any{in: list})
	status, reply, _ := post(t, url, string(body))
	if status != 200 {
		t.Fatalf("%s: %d %s", url, status, reply)
	}
	var got map[string]json.RawMessage
	if err := json.Unmarshal([]byte(reply), &got); err != nil {
		t.Fatal(err)
	}
	var values []json.RawMessage
	if err := json.Unmarshal(got[out], &values); err != nil {
		t.Fatal(err)
	}
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = string(v)
		if numbered {
			var pair []json.RawMessage
			if err := json.Unmarshal(v, &pair); err != nil || string(pair[0]) != fmt.Sprint(i) {
				t.Fatalf("row %d: %s", i, v)
			}
			texts[i] = string(pair[1])
		}
	}
	return texts
}

func overFlight(t *testing.T, ctx context.Context, s *running, function string, rows [][]string, slices int) []string {
	t.Helper()
	fields := make([]string, len(rows[0]))
	for k := range fields {
		fields[k] = fmt.Sprintf("arg%d: utf8", k+1)
	}
	f, _ := s.catalogue.Function(function)
	objects := make([]map[string]any, len(rows))
	for i, row := range rows {
		objects[i] = map[string]any{}
		for k, v := range row {
			if v != "\x00" {
				objects[i][fmt.Sprint("arg", k+1)] = v
			}
		}
	}
	client := flight.NewClientFromConn(dial(t, s.addr), nil)
	var out []string
	for part := range slices {
		b, _ := json.Marshal(objects[part*len(rows)/slices : (part+1)*len(rows)/slices])
		rec := recordFrom(t, fieldsOf(t, fields), string(b))
		_, values := exchangeAll(t, ctx, client, fmt.Sprintf("%s/%d", function, len(fields)), rec)
		for _, v := range values {
			switch {
			case v == "NULL":
				v = "null"
			case f.Result == udf.VARCHAR:
				q, _ := json.Marshal(v)
				v = string(q)
			}
			out = append(out, v)
		}
	}
	return out
}

// The same batch gives the same results through every transport: values, labels, NULLs and whole
// envelopes.
func TestEveryTransportGivesTheSame(t *testing.T) {
	s := start(t, newCatalogue(t), nil)
	var results [][]string
	for wrong := range 5 {
		gold, agent := metrics.TwoResults(wrong)
		results = append(results, []string{gold, agent})
	}
	gold, _ := metrics.TwoResults(0)
	results = append(results, []string{gold, "\x00"}, []string{gold, ""}, []string{gold, "table:t"}, []string{gold, `{"columns":[`}, []string{"\x00", "\x00"},
		[]string{`{"columns":["é"],"rows":[["😀\n"]]}`, `{"columns":["x"],"rows":[["😀\n"]]}`})
	for function, rows := range map[string][][]string{
		"cell_match": results, "cell_match_json": results, "row_category": results, "row_category_json": results,
		"slowdown_json": {{"100", "150"}, {"fast", "1"}, {"\x00", "1"}, {"0.1", "0.30000000000000004"}, {"-1", "1"}},
		"tool_share":    {{`["a"]`, `["b"]`}, {`["a"`, `[]`}, {`["a","b"]`, "\x00"}},
		"ran":           {{"select 1", "\x00"}, {"select", "err"}, {"\x00", "\x00"}},
		"judged_json":   {{"q", "i", "r", "s", "s"}, {"q", "i", "nonsense", "s", "s"}, {"\x00", "i", "r", "s", "s"}},
	} {
		want := transports[0].call(t, s, function, rows)
		for _, tr := range transports[1:] {
			if d := cmp.Diff(want, tr.call(t, s, function, rows)); d != "" {
				t.Errorf("%s over %s: (-catalogue +%s)\n%s", function, tr.name, tr.name, d)
			}
		}
	}
}
