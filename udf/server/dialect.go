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

// dialect describes what one product's Flight client expects beyond the protocol.
type dialect struct {
	wire   string        // name in settings, the log and metrics
	budget time.Duration // time limit of a call; 0: none
	busy   codes.Code    // gRPC code of a busy server, on which the client retries
	json   arrow.Field
}

// Databend limits a call to 180 s and retries on every error; its JSON type is VARIANT. RisingWave limits it to 5 s
// and retries on UNAVAILABLE; its JSON type is jsonb. A client that neither metadata nor handler identifies is called
// flight: it has no time limit but its own deadline, and gets JSON in RisingWave's form, utf8 with metadata.
var (
	databend = dialect{
		wire: "databend", budget: 150 * time.Second, busy: codes.ResourceExhausted,
		json: arrow.Field{Type: arrow.BinaryTypes.LargeBinary,
			Metadata: arrow.NewMetadata([]string{"Extension"}, []string{"Variant"})},
	}
	risingwave = dialect{
		wire: "risingwave", budget: 4 * time.Second, busy: codes.Unavailable,
		json: arrow.Field{Type: arrow.BinaryTypes.String,
			Metadata: arrow.NewMetadata([]string{"ARROW:extension:name"}, []string{"arrowudf.json"})},
	}
	unnamed  = dialect{wire: "flight", busy: codes.Unavailable, json: risingwave.json}
	dialects = []*dialect{&databend, &risingwave, &unnamed}
)

// dialectOf returns the dialect by the metadata of a call: only Databend sends its own, except in earlier versions.
func dialectOf(ctx context.Context) *dialect {
	md, _ := metadata.FromIncomingContext(ctx)
	for k := range md {
		if strings.HasPrefix(k, "x-databend-") {
			return &databend
		}
	}
	return &unnamed
}

// handler is the function that a Flight descriptor names, with the number of parameters in the SQL declaration and
// the dialect of the client.
type handler struct {
	fn      *udf.Function
	arity   int
	dialect *dialect
}

// handlerOf parses NAME[/ARITY][@DIALECT]. The default arity is the number of required parameters.
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

// builtins are the two functions that Databend's client library calls to check a server.
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

// field returns the Arrow field of a parameter or result in the dialect. All fields are nullable.
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

// info returns the schema that both products request when a function is created: the arguments in order, then the
// result.
func (h handler) info() *arrow.Schema {
	fields := make([]arrow.Field, 0, h.arity+1)
	for _, p := range h.fn.Params[:h.arity] {
		fields = append(fields, h.dialect.field(p.Name, p.Type))
	}
	md := arrow.NewMetadata([]string{"x-databend-udf-input-count"}, []string{strconv.Itoa(h.arity)})
	return arrow.NewSchema(append(fields, h.result()), &md)
}

func (h handler) result() arrow.Field { return h.dialect.field("result", h.fn.Result) }
