package databricks

import (
	"bytes"
	"context"
	"io"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/pierrec/lz4/v4"

	"github.com/badger-eval/badger/connectors/databricks/internal/thrift"
)

// pages are the parts of a statement's result over Thrift: a page holds batches of rows, or links
// to files that hold them.
type pages struct {
	op      *operation
	columns []column
	format  int64
	schema  []byte // of all batches
	lz4     bool

	row     int64 // the first that is not in a page so far
	more    bool
	seek    bool // the service's place is not ours any more
	batches []thrift.Struct
	rowset  thrift.Struct // of columns
	files   files
}

// newReader reads the result of a statement that has ended.
func newReader(ctx context.Context, op *operation) (*reader, error) {
	meta, err := op.metadata(ctx)
	if err != nil {
		return nil, err
	}
	p := &pages{op: op, format: meta.Int(1281), schema: meta.Bytes(1283), lz4: meta.Bool(1282), more: true}
	p.files = files{c: op.c, lz4: p.lz4, refresh: p.refresh}
	r := &reader{ctx: ctx, c: op.c, mem: op.c.mem, source: p}
	r.refs.Store(1)
	var wire *arrow.Schema
	if len(p.schema) > 0 {
		if wire, err = wireSchema(p.schema); err != nil {
			return nil, err
		}
	} else if _, told := meta[1281]; !told {
		p.format = formatColumns // a service that knows no Arrow
	}
	r.columns = columnsOf(meta, wire)
	if p.format == formatColumns {
		wire = nil
	}
	if r.schema, err = schemaOf(r.columns, wire); err != nil {
		return nil, err
	}
	p.columns = r.columns
	if op.page != nil {
		if err := statusOf(op.page, "reading a result"); err != nil {
			return nil, err
		}
		p.take(op.page)
		op.page = nil
	}
	return r, nil
}

func (p *pages) close(ctx context.Context) {
	p.files.close()
	p.op.close(ctx)
}

// next is the next part.
func (p *pages) next(ctx context.Context) (*part, error) {
	for {
		switch {
		case p.files.waiting():
			// The service may put one link into each page: the next pages are asked for while files
			// are on their way.
			for p.files.begin(ctx); p.more && len(p.batches) == 0 && p.rowset == nil && p.files.idle(); p.files.begin(ctx) {
				if err := p.turn(ctx); err != nil {
					return nil, err
				}
			}
			return p.files.next(ctx)
		case len(p.batches) > 0:
			b := p.batches[0]
			p.batches = p.batches[1:]
			return &part{stream: io.MultiReader(bytes.NewReader(p.schema), unpacked(bytes.NewReader(b.Bytes(1)), p.lz4)), rows: b.Int(2)}, nil
		case p.rowset != nil:
			set := p.rowset
			p.rowset = nil
			arrays, n, err := p.arrays(set)
			if n > 0 || err != nil {
				return &part{arrays: arrays, rows: n}, err
			}
			for _, arr := range arrays {
				arr.Release()
			}
		case !p.more:
			return nil, nil //nolint:nilnil // the end
		default:
			if err := p.turn(ctx); err != nil {
				return nil, err
			}
		}
	}
}

// turn asks for the next page. It must begin where the last one ended.
func (p *pages) turn(ctx context.Context) error {
	page, err := p.op.fetch(ctx, p.row, p.seek)
	if err != nil {
		return err
	}
	p.seek = false
	if start := page.Struct(3).Int(1); rowsOf(page.Struct(3)) > 0 && start != p.row { // a page was lost on its way
		if page, err = p.op.fetch(ctx, p.row, true); err != nil {
			return err
		}
		if start := page.Struct(3).Int(1); start != p.row {
			return broken("row %d is missing, the service goes on at row %d", p.row, start)
		}
	}
	p.take(page)
	return nil
}

// take takes a page over.
func (p *pages) take(page thrift.Struct) {
	set := page.Struct(3)
	p.more = page.Bool(2)
	p.batches = set.Structs(1281)
	for _, l := range set.Structs(1282) {
		p.files.add(linkOf(l))
	}
	if len(set.List(3)) > 0 {
		p.rowset = set
	}
	p.row += rowsOf(set)
}

// rowsOf counts the rows of a page.
func rowsOf(set thrift.Struct) (n int64) {
	for _, b := range set.Structs(1281) {
		n += b.Int(2)
	}
	for _, l := range set.Structs(1282) {
		n += l.Int(4)
	}
	if columns := set.Structs(3); n == 0 && len(columns) > 0 {
		for id := range columns[0] {
			n = int64(len(columns[0].Struct(id).List(1)))
		}
	}
	return n
}

// linkOf reads a link.
func linkOf(l thrift.Struct) link {
	out := link{url: l.Text(1), start: l.Int(3), rows: l.Int(4), headers: l.Map(6)}
	if at := l.Int(2); at > 0 {
		out.expires = time.Unix(at, 0)
	}
	return out
}

// refresh asks for links anew, from one that has expired on.
func (p *pages) refresh(ctx context.Context, expired link) ([]link, error) {
	page, err := p.op.fetch(ctx, expired.start, true)
	if err != nil {
		return nil, err
	}
	p.seek = true
	var out []link
	for _, l := range page.Struct(3).Structs(1282) {
		out = append(out, linkOf(l))
	}
	return out, nil
}

// arrays makes arrays of a page whose values come column by column: from services that know no
// Arrow.
func (p *pages) arrays(set thrift.Struct) ([]arrow.Array, int64, error) {
	columns := set.Structs(3)
	n := rowsOf(set)
	if len(columns) != len(p.columns) {
		return nil, 0, broken("%d columns in its rows, %d in its description", len(columns), len(p.columns))
	}
	var out []arrow.Array
	fail := func(err error) ([]arrow.Array, int64, error) {
		for _, arr := range out {
			arr.Release()
		}
		return nil, 0, err
	}
	for i, col := range columns {
		var values []any
		var nulls []byte
		for id := range col {
			values, nulls = col.Struct(id).List(1), col.Struct(id).Bytes(2)
		}
		if int64(len(values)) != n {
			return fail(broken("its columns are not of one length"))
		}
		arr, err := p.columns[i].collect(p.op.c.mem, values, nulls)
		if err != nil {
			return fail(err)
		}
		out = append(out, arr)
	}
	return out, n, nil
}

// unpacked reads what may be compressed.
func unpacked(r io.Reader, packed bool) io.Reader {
	if packed {
		return lz4.NewReader(r)
	}
	return r
}

// isNull tells whether a bit is set, the lowest first.
func isNull(bits []byte, i int) bool { return i/8 < len(bits) && bits[i/8]&(1<<(i%8)) != 0 }
