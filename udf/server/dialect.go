package server

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/udf"
)

// dialect holds the expectations of one product's Flight client beyond the protocol.
type dialect struct {
	name   string // in settings
	wire   string // in the log
	budget time.Duration
	busy   codes.Code // the one code that it should answer by trying again
	json   arrow.Field
}

// Databend gives a call 180 s and tries again on every error; JSON is its VARIANT. RisingWave gives
// 5 s and tries again on UNAVAILABLE; JSON is its jsonb. All that is not Databend is served as
// RisingWave, plain utf8 with a note in the metadata; the log calls it flight unless the handler names
// the product, because earlier versions of Databend say no more of themselves than RisingWave does.
var (
	databend = dialect{
		name: "databend", wire: "databend", budget: 150 * time.Second, busy: codes.ResourceExhausted,
		json: arrow.Field{Type: arrow.BinaryTypes.LargeBinary,
			Metadata: arrow.NewMetadata([]string{"Extension"}, []string{"Variant"})},
	}
	risingwave = dialect{
		name: "risingwave", wire: "risingwave", budget: 4 * time.Second, busy: codes.Unavailable,
		json: arrow.Field{Type: arrow.BinaryTypes.String,
			Metadata: arrow.NewMetadata([]string{"ARROW:extension:name"}, []string{"arrowudf.json"})},
	}
	unnamed = dialect{name: risingwave.name, wire: "flight", budget: risingwave.budget, busy: risingwave.busy,
		json: risingwave.json}
	dialects = []*dialect{&databend, &risingwave}
)

// dialectOf detects the client: Databend sends metadata with every call, except in earlier versions.
func dialectOf(ctx context.Context) *dialect {
	md, _ := metadata.FromIncomingContext(ctx)
	for k := range md {
		if strings.HasPrefix(k, "x-databend-") {
			return &databend
		}
	}
	return &unnamed
}

// handler is the function that a Flight descriptor names, with the number of parameters that the SQL declares and the
// product that calls.
type handler struct {
	fn      *udf.Function
	arity   int
	dialect *dialect
}

// handlerOf reads NAME[/ARITY][@DIALECT]. Without an arity the required parameters are meant.
func (s *Server) handlerOf(ctx context.Context, text string) (h handler, err error) {
	text, suffix, ok := strings.Cut(text, "@")
	h.dialect = dialectOf(ctx)
	switch {
	case !ok:
	case suffix == "databend":
		h.dialect = &databend
	case suffix == "risingwave" || suffix == "rw":
		h.dialect = &risingwave
	default:
		return h, errcode.New(errcode.NotFound, "unknown dialect %.40q, expected databend or risingwave", suffix)
	}
	name, arity, ok := strings.Cut(text, "/")
	if h.fn = builtins[name]; h.fn == nil {
		if h.fn, err = s.catalogue.Function(name); err != nil {
			return h, err
		}
	}
	if h.arity = h.fn.Required(); !ok {
		return h, nil
	}
	if h.arity, err = strconv.Atoi(arity); err != nil {
		return h, errcode.New(errcode.NotFound, "handler: expected NAME/ARITY")
	}
	if err := h.fn.CheckArity(h.arity); err != nil {
		return h, errcode.New(errcode.NotFound, "handler: %w", err)
	}
	return h, nil
}

// builtins are the two functions by which Databend's client library checks a server.
var builtins = map[string]*udf.Function{
	"builtin_echo": {
		Name: "builtin_echo", Result: udf.VARCHAR, Params: []udf.Param{{Name: "text", Type: udf.VARCHAR}},
		Columns: func(_ context.Context, in *udf.Batch, out *udf.Column) {
			copy(out.Texts, in.Args[0].Texts)
			copy(out.Nulls, in.Args[0].Nulls)
		},
	},
	"builtin_healthy": {
		Name: "builtin_healthy", Result: udf.BIGINT, Columns: func(_ context.Context, in *udf.Batch, out *udf.Column) {
			for i := range in.Rows {
				out.SetInt(i, 1)
			}
		},
	},
}

// field is a parameter or result as the dialect's Arrow field. All are nullable, as SQL types
// without NOT NULL are.
func (d *dialect) field(name string, t udf.Type) arrow.Field {
	f := arrow.Field{Type: arrow.BinaryTypes.String}
	switch t {
	case udf.JSON:
		f = d.json
	case udf.DOUBLE:
		f.Type = arrow.PrimitiveTypes.Float64
	case udf.BIGINT:
		f.Type = arrow.PrimitiveTypes.Int64
	case udf.BOOLEAN:
		f.Type = arrow.FixedWidthTypes.Boolean
	}
	f.Name, f.Nullable = name, true
	return f
}

// info is the schema that both products ask for when a function is created: the arguments in order,
// then the result.
func (h handler) info() *arrow.Schema {
	fields := make([]arrow.Field, 0, h.arity+1)
	for _, p := range h.fn.Params[:h.arity] {
		fields = append(fields, h.dialect.field(p.Name, p.Type))
	}
	md := arrow.NewMetadata([]string{"x-databend-udf-input-count"}, []string{strconv.Itoa(h.arity)})
	return arrow.NewSchema(append(fields, h.result()), &md)
}

func (h handler) result() arrow.Field { return h.dialect.field("result", h.fn.Result) }
