package custom

import (
	"math/big"

	"go.starlark.net/starlark"

	"github.com/badger-eval/badger/internal/errcode"
)

// Limits are the limits of one run of a judge's script.
type Limits struct {
	Steps  int64 // steps of the interpreter, and work of the functions that it calls
	Memory int64 // bytes of all values that are created, whether they are still referenced or not
}

// defaultLimits are the limits of a judge whose file sets none. maxLimits are the highest limits that a judge file
// may set, unless the deployment configures others.
var (
	defaultLimits = Limits{Steps: 5_000_000, Memory: 64 << 20}
	maxLimits     = Limits{Steps: 50_000_000, Memory: 256 << 20}
)

const (
	maxIntBits   = 4096
	maxIntDigits = 1200
	maxDepth     = 1000 // nesting of values
	wordBytes    = 16   // of a reference to a value
	entryBytes   = 64   // of an entry of a dict or set
	perStep      = 16   // bytes that are read, copied or compared for the cost of one step
)

// budget holds the remaining resources of one run of a script. The Starlark thread counts the steps.
type budget struct {
	limits Limits
	memory int64
	keys   keys
	thread *starlark.Thread

	patterns map[string]*pattern // regular expressions that this run has used
	trust    *trust              // nil if the script cannot ask a model
}

func (b *budget) left() int64 { return b.limits.Steps - int64(b.thread.Steps) } //nolint:gosec // bounded by the limit

// work charges a number of steps. It returns an error if fewer are left.
func (b *budget) work(steps int64) error {
	if steps < 0 || steps > b.left() {
		b.thread.Steps = uint64(b.limits.Steps) //nolint:gosec // not negative
		return b.tooLong()
	}
	b.thread.Steps += uint64(steps)
	return nil
}

func (b *budget) tooLong() error {
	return errcode.New(errcode.ResourceExhausted, "takes more than %d steps", b.limits.Steps)
}

// read charges the steps for reading a number of bytes.
func (b *budget) read(bytes int64) error { return b.work(1 + bytes/perStep) }

// alloc charges memory before it is allocated, and the steps for filling it. It returns an error if less is left.
func (b *budget) alloc(bytes int64) error {
	if bytes < 0 || bytes > b.limits.Memory-b.memory {
		b.memory = b.limits.Memory
		return errcode.New(errcode.ResourceExhausted, "creates more than %d MiB of values", b.limits.Memory>>20)
	}
	b.memory += bytes
	return b.read(bytes)
}

// times returns a * b, but at most 1<<60, so that the result can be added to without overflow. A negative factor
// gives 1<<60.
func times(a, b int64) int64 {
	if a < 0 || b < 0 || b > 0 && a > (1<<60)/b {
		return 1 << 60
	}
	return a * b
}

// sizeOf returns the size of a value without its elements: bytes of a string or a number, or the number of elements.
func sizeOf(v starlark.Value) int64 {
	switch v := v.(type) {
	case starlark.Int:
		return int64(bitLen(v) / 8)
	case decimal:
		return int64(v.unscaled.BitLen() / 8)
	}
	if n := starlark.Len(v); n > 0 {
		return int64(n)
	}
	return 0
}

func bitLen(i starlark.Int) int {
	if _, small := i.Int64(); small {
		return 64
	}
	return i.BigInt().BitLen()
}

// walk charges a step for every value in a value, as comparing, hashing and formatting visit them. A value that
// occurs more than once is counted each time. It returns the approximate length of its text in bytes.
func (b *budget) walk(v starlark.Value) (int64, error) { return b.walkAt(v, 0) }

// walkAt is walk for a value nested in depth others. Nesting deeper than maxDepth is an error, since Starlark visits
// nested values recursively.
func (b *budget) walkAt(v starlark.Value, depth int) (int64, error) {
	if depth > maxDepth {
		return 0, errcode.New(errcode.ResourceExhausted, "creates values nested more than %d deep", maxDepth)
	}
	if err := b.work(1); err != nil {
		return 0, err
	}
	var text int64
	add := func(v starlark.Value) error {
		n, err := b.walkAt(v, depth+1)
		text += n + 2
		return err
	}
	switch v := v.(type) {
	case starlark.String:
		return int64(len(v)) + 2, b.read(int64(len(v)))
	case starlark.Bytes:
		return int64(4*len(v)) + 3, b.read(int64(len(v)))
	case starlark.Int:
		return int64(bitLen(v))/3 + 2, nil
	case decimal:
		return int64(v.unscaled.BitLen()/3) + int64(max(v.scale, 0)) + 4, nil
	case *starlark.List:
		for i := range v.Len() {
			if err := add(v.Index(i)); err != nil {
				return text, err
			}
		}
	case starlark.Tuple:
		for _, e := range v {
			if err := add(e); err != nil {
				return text, err
			}
		}
	case *starlark.Dict:
		for k, e := range v.Entries() {
			if err := add(k); err != nil {
				return text, err
			}
			if err := add(e); err != nil {
				return text, err
			}
		}
	case *table:
		n := v.t.MemoryBytes() + times(int64(v.Len()), 24*int64(len(v.t.Columns)))
		return 2 * n, b.read(n)
	case *tableRow:
		var n int64
		for i := range v.t.t.Columns {
			n += 24 + sizeOf(v.cell(i))
		}
		return 2 * n, b.read(n)
	case *starlark.Set:
		for e := range v.Elements() {
			if err := add(e); err != nil {
				return text, err
			}
		}
	}
	return text + 32, nil
}

// compare charges the work of comparing two values, estimated by the smaller of the two.
func (b *budget) compare(x, y starlark.Value) error {
	if x.Type() != y.Type() || starlark.Len(x) <= 0 || starlark.Len(y) <= 0 {
		return b.work(1)
	}
	if sizeOf(x) > sizeOf(y) {
		x = y
	}
	_, err := b.walk(x)
	return err
}

// fits returns an error if v is an integer of more than maxIntBits bits.
func fits(v starlark.Value) error {
	i, ok := v.(starlark.Int)
	if !ok {
		return nil
	}
	if _, small := i.Int64(); small {
		return nil
	}
	if i.BigInt().BitLen() > maxIntBits {
		return errTooBig
	}
	return nil
}

var errTooBig = errcode.New(errcode.ResourceExhausted, "creates an integer of more than %d bits", maxIntBits)

// tooWide reports whether x and y are integers whose product would certainly exceed the maximum size of an integer.
func tooWide(x, y starlark.Value) bool {
	i, ok := x.(starlark.Int)
	j, also := y.(starlark.Int)
	return ok && also && bitLen(i)+bitLen(j) > maxIntBits+64
}

var bigTen = big.NewInt(10)
