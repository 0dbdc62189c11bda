package server

import (
	"context"
	"strconv"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"

	"github.com/badger-eval/badger/internal/account"
	"github.com/badger-eval/badger/internal/columnar"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/udf"
	"github.com/badger-eval/badger/udf/udfpb"
)

// unary serves udfpb.Scoring.
type unary struct {
	udfpb.UnimplementedScoringServer
	s *Server
}

// traitsUnary are the traits of unary gRPC calls. They have no time limit but their callers' deadlines.
var traitsUnary = traits{name: "grpc"}

// serve runs f with a slot, logs the call, and converts its error to a gRPC status.
func (u unary) serve(ctx context.Context, req, resp proto.Message, function string,
	f func(ctx context.Context, c *call) error) error {
	c := callFrom(ctx)
	c.wire, c.function = traitsUnary.name, correlation(function)
	c.in = int64(proto.Size(req))
	leave, err := u.s.enter(shareFrom(ctx))
	if err == nil {
		defer leave()
		err = u.s.cut(f(ctx, c))
	}
	if err == nil {
		c.out = int64(proto.Size(resp))
	}
	u.s.finish(ctx, c, err)
	return grpcError(err, codes.ResourceExhausted)
}

func (u unary) Call(ctx context.Context, req *udfpb.CallRequest) (*udfpb.CallResponse, error) {
	resp := &udfpb.CallResponse{}
	return resp, u.serve(ctx, req, resp, req.GetFunction(), func(ctx context.Context, c *call) error {
		fn, err := u.s.catalogue.Function(req.GetFunction())
		if err != nil {
			return err
		}
		in, err := batchFrom(fn, req, u.s.limits.Rows, tallyOf(shareFrom(ctx), 0))
		if err != nil {
			return err
		}
		c.rows = in.Rows
		if err := shareFrom(ctx).Hold(int64(in.Rows) * rowBytes(fn)); err != nil {
			return err
		}
		if err := shareFrom(ctx).rows(ctx, in.Rows, false); err != nil {
			return err
		}
		out := columnar.New(fn.Result, in.Rows)
		if err := u.s.catalogue.Run(ctx, fn, in, out, u.s.deadline(traitsUnary)); err != nil {
			return err
		}
		c.nulls, c.late = out.CountNulls(), in.Late
		if err := shareFrom(ctx).Hold(2 * replyBytes(in, out)); err != nil { // as a message, and as its bytes
			return err
		}
		resp.Result = columnTo(out)
		for _, p := range in.Problems {
			resp.Problems = append(resp.Problems, problemTo(p))
		}
		return nil
	})
}

// batchFrom converts the arguments of a call to a batch. Numbers may be sent as strings, and strings as numbers.
func batchFrom(fn *udf.Function, req *udfpb.CallRequest, maxRows int, counted *account.Tally) (*udf.Batch, error) {
	args := req.GetArguments()
	if err := fn.CheckArity(len(args)); err != nil {
		return nil, err
	}
	rows := req.GetRows()
	if len(args) > 0 {
		rows = int64(lengthOf(args[0]))
	}
	if rows < 0 || rows > int64(maxRows) {
		return nil, errcode.New(errcode.ResourceExhausted, "%d rows, expected at most %d (limits.batch_rows)", rows, maxRows)
	}
	in := &udf.Batch{Rows: int(rows), Args: make([]udf.Column, len(args)), Explain: true}
	for k, a := range args {
		name := fn.Params[k].Name
		if n := lengthOf(a); n != in.Rows {
			return nil, errcode.New(errcode.InvalidArgument, "argument %d (%s) has %d rows, the ones before it %d", k+1, name, n,
				rows)
		}
		nulls := a.GetNulls()
		if len(nulls) != 0 && len(nulls) != in.Rows {
			return nil, errcode.New(errcode.InvalidArgument,
				"argument %d (%s) has %d nulls, expected none or one for each of %d rows", k+1, name, len(nulls), rows)
		}
		col := &in.Args[k]
		col.Type = fn.Params[k].Type
		if len(nulls) == 0 {
			nulls = make([]bool, in.Rows)
		}
		if sameType(col, a) {
			col.Nulls = nulls
			continue
		}
		text := textFrom(a)
		for i, null := range nulls {
			if null || text == nil {
				col.AppendNull()
			} else if wrong := col.AppendText(text(i)); wrong != "" {
				if err := counted.Add(badBytes); err != nil {
					return nil, err
				}
				in.BadArgument(fn, k, i, wrong)
			}
		}
	}
	return in, nil
}

// lengthOf returns the number of rows of a column: of its values, or of its nulls if it has no values.
func lengthOf(c *udfpb.Column) int {
	switch v := c.GetValues().(type) {
	case *udfpb.Column_Texts:
		return len(v.Texts.GetValues())
	case *udfpb.Column_Doubles:
		return len(v.Doubles.GetValues())
	case *udfpb.Column_Integers:
		return len(v.Integers.GetValues())
	case *udfpb.Column_Booleans:
		return len(v.Booleans.GetValues())
	}
	return len(c.GetNulls())
}

// sameType assigns the values of c to col if they have the column's type. Otherwise it reports false.
func sameType(col *udf.Column, c *udfpb.Column) bool {
	switch v := c.GetValues().(type) {
	case *udfpb.Column_Texts:
		col.Texts = v.Texts.GetValues()
		return col.Type == udf.VARCHAR || col.Type == udf.JSON
	case *udfpb.Column_Doubles:
		col.Floats = v.Doubles.GetValues()
		return col.Type == udf.DOUBLE
	case *udfpb.Column_Integers:
		col.Ints = v.Integers.GetValues()
		return col.Type == udf.BIGINT
	case *udfpb.Column_Booleans:
		col.Bools = v.Booleans.GetValues()
		return col.Type == udf.BOOLEAN
	}
	return false
}

// textFrom returns a function that formats value i of a column as text, or nil if the column has no values.
func textFrom(c *udfpb.Column) func(i int) string {
	switch v := c.GetValues().(type) {
	case *udfpb.Column_Texts:
		return func(i int) string { return v.Texts.GetValues()[i] }
	case *udfpb.Column_Doubles:
		return func(i int) string { return udf.FormatFloat(v.Doubles.GetValues()[i]) }
	case *udfpb.Column_Integers:
		return func(i int) string { return strconv.FormatInt(v.Integers.GetValues()[i], 10) }
	case *udfpb.Column_Booleans:
		return func(i int) string { return strconv.FormatBool(v.Booleans.GetValues()[i]) }
	}
	return nil
}

func columnTo(c *udf.Column) *udfpb.Column {
	out := &udfpb.Column{}
	if c.CountNulls() > 0 {
		out.Nulls = c.Nulls
	}
	switch c.Type {
	case udf.DOUBLE:
		out.Values = &udfpb.Column_Doubles{Doubles: &udfpb.Doubles{Values: c.Floats}}
	case udf.BIGINT:
		out.Values = &udfpb.Column_Integers{Integers: &udfpb.Integers{Values: c.Ints}}
	case udf.BOOLEAN:
		out.Values = &udfpb.Column_Booleans{Booleans: &udfpb.Booleans{Values: c.Bools}}
	default:
		for i := range c.Texts { // a protobuf string must be UTF-8
			c.Texts[i] = strings.ToValidUTF8(c.Texts[i], "\ufffd")
		}
		out.Values = &udfpb.Column_Texts{Texts: &udfpb.Texts{Values: c.Texts}}
	}
	return out
}

func problemTo(p udf.Problem) *udfpb.Problem {
	out := &udfpb.Problem{Row: int64(p.Row), Status: string(p.Status), Reason: p.Reason}
	if p.Code != errcode.OK {
		out.Code = p.Code.String()
	}
	return out
}

func (u unary) ListFunctions(ctx context.Context,
	req *udfpb.ListFunctionsRequest) (*udfpb.ListFunctionsResponse, error) {
	resp := &udfpb.ListFunctionsResponse{}
	return resp, u.serve(ctx, req, resp, "", func(context.Context, *call) error {
		for _, f := range u.s.catalogue.Functions() {
			out := &udfpb.Function{
				Name: f.Name, Group: f.Group, Result: typeTo(f.Result), Doc: f.Doc, Version: int32(f.Version), //nolint:gosec // small
				Metric: f.Metric, Volatile: f.Volatile, Signature: f.Signature(),
			}
			for _, p := range f.Params {
				out.Parameters = append(out.Parameters,
					&udfpb.Parameter{Name: p.Name, Type: typeTo(p.Type), Optional: p.Optional, Doc: p.Doc})
			}
			resp.Functions = append(resp.Functions, out)
		}
		return nil
	})
}

func typeTo(t udf.Type) udfpb.Type { return udfpb.Type(t) + 1 }

func (u unary) ScoreCase(ctx context.Context, req *udfpb.ScoreCaseRequest) (*udfpb.ScoreCaseResponse, error) {
	resp := &udfpb.ScoreCaseResponse{}
	return resp, u.serve(ctx, req, resp, "score_case", func(ctx context.Context, c *call) error {
		c.rows, c.private = 1, true
		if err := shareFrom(ctx).rows(ctx, 1, false); err != nil {
			return err
		}
		rows, err := u.s.catalogue.ScoreCase(ctx, bytesOf(req.GetCaseJson()), req.GetMetrics(), u.s.deadline(traitsUnary))
		for i := range rows {
			resp.Scores = append(resp.Scores, scoreTo(&rows[i]))
		}
		return err
	})
}

func scoreTo(row *scoring.Row) *udfpb.Score {
	s := &row.Score
	out := &udfpb.Score{
		CaseId: row.CaseID, Metric: s.Metric, MetricVersion: int32(s.Version), Status: string(s.Status), //nolint:gosec // small
		Label: s.Label, Passed: s.Passed, Reason: s.Reason, Gold: int32(s.Gold), //nolint:gosec // small
		Warnings: s.Warnings, AssessmentIds: s.AssessmentIDs,
	}
	switch s.Status {
	case scoring.StatusOK:
		out.Value = &s.Value
	case scoring.StatusFailed:
		out.Code = s.Code.String()
	}
	if s.Detail != nil {
		detail, warning := udf.DetailJSON(s.Detail)
		if warning != "" {
			out.Warnings = append(out.Warnings, warning)
		}
		out.DetailJson = detail
	}
	return out
}
