package sqlite_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/arrowtable"
	"github.com/badger-eval/badger/scoring"
)

// pythonTables makes tables of random values of all storage classes, under declared types that mean nothing, and writes
// each as sqlite3 reads it: a line of JSON with a tag before each value.
const pythonTables = `
import json, random, sqlite3, struct, sys
r = random.Random(int(sys.argv[3]))
c = sqlite3.connect(sys.argv[1])
c.execute("PRAGMA journal_mode = OFF")
c.execute("PRAGMA synchronous = OFF")
c.text_factory = bytes
types = ["", "INTEGER", "INT", "TEXT", "VARCHAR(5)", "DATE", "DATETIME", "TIMESTAMP", "TIME", "BOOLEAN", "NUMERIC", "DECIMAL(10,2)", "REAL", "DOUBLE", "BLOB", "JSON", "UNKNOWN"]
texts = ["", "a", "añ😀", "2024-02-29", "2024-02-29 12:30:00", "2024-02-29T12:30:00Z", "12:30", "true", "007", "1e5", " 1", "1.50", "NULL", "[1]", "9223372036854775808", "a\0b", "\0", "x" * 2000]
def value():
    k = r.randrange(12)
    if k == 0: return None
    if k == 1: return r.randrange(-5, 5)
    if k == 2: return r.choice([2**63 - 1, -2**63, 2**53, 2**53 + 1, -2**53, -2**53 - 1, 1709164800, 1709164800000])
    if k == 3: return r.getrandbits(63) - 2**62
    if k == 4: return r.choice([0.0, -0.0, 0.1, 1e300, 5e-324, float("inf"), float("-inf"), float("nan"), 2.0**53, 1.0])
    if k == 5: return struct.unpack("d", r.randbytes(8))[0]
    if k == 6: return r.randbytes(r.randrange(20))
    if k == 7: return b"caf\xe9" if r.random() < 0.5 else b"plain"
    return r.choice(texts)
def tagged(v):
    if v is None: return None
    if isinstance(v, int): return ["i", str(v)]
    if isinstance(v, float): return ["r", struct.pack(">d", v).hex()]
    return ["b", v.hex()]
for n in range(int(sys.argv[2])):
    columns = r.randrange(1, 7)
    c.execute("CREATE TABLE t%d (%s)" % (n, ", ".join("c%d %s" % (i, r.choice(types)) for i in range(columns))))
    few = [value() for _ in range(r.randrange(1, 40))]
    for _ in range(r.choice([0, 1, 3, 10, 30] * 20 + [1500])):
        c.execute("INSERT INTO t%d VALUES (%s)" % (n, ", ".join("CAST(? AS TEXT)" if r.random() < 0.1 else "?" for _ in range(columns))), [r.choice(few) for _ in range(columns)])
    if n % 100 == 99: c.commit()
    rows = c.execute("SELECT * FROM t%d ORDER BY rowid" % n).fetchall()
    kinds = c.execute("SELECT %s FROM t%d ORDER BY rowid" % (", ".join("typeof(c%d)" % i for i in range(columns)), n)).fetchall()
    print(json.dumps([[[("t" if k == b"text" else t[0]), t[1]] if (t := tagged(v)) else None for v, k in zip(row, kind)] for row, kind in zip(rows, kinds)]))
c.commit()
`

// Every value of 1,000 random tables is read as Python's sqlite3 reads it.
func TestTablesOfPython(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 not found")
	}
	path := filepath.Join(t.TempDir(), "random.sqlite")
	out, err := exec.Command(python, "-c", pythonTables, path, "1000", "7").Output()
	if err != nil {
		t.Skipf("python3 with sqlite3 failed: %v", err)
	}
	c := open(t, "sqlite:"+path, driver.Options{})
	defer c.Close()
	seen := map[string]int{}
	for n, line := range bytes.Split(bytes.TrimSpace(out), []byte("\n")) {
		var want [][]*[2]string
		if err := json.Unmarshal(line, &want); err != nil {
			t.Fatal(err)
		}
		r, err := c.Query(t.Context(), fmt.Sprintf("SELECT * FROM t%d ORDER BY rowid", n))
		if err != nil {
			t.Fatal(err)
		}
		got, err := arrowtable.Read(r, arrowtable.Limits{})
		r.Release()
		if err != nil || got.Rows() != len(want) {
			t.Fatalf("table %d: %d rows, %v; want %d", n, got.Rows(), err, len(want))
		}
		for i, row := range want {
			for j, cell := range row {
				v := got.Columns[j].Value(i)
				if !same(cell, v) {
					t.Fatalf("table %d, row %d, column %d: %v %q, Python reads %v", n, i, j, v.Type, v.String(), cell)
				}
				seen[got.Columns[j].Type.String()+" "+v.Type.String()]++
			}
		}
	}
	for _, kind := range []string{"ANY INT64", "ANY FLOAT64", "ANY STRING", "ANY BYTES", "ANY NULL", "INT64 INT64", "FLOAT64 FLOAT64", "STRING STRING"} {
		if seen[kind] == 0 {
			t.Errorf("no value of %s among %v", kind, seen)
		}
	}
}

// same reports whether a value is the one that Python read.
func same(want *[2]string, got scoring.Value) bool {
	if want == nil {
		return got.Type == scoring.Null
	}
	data, _ := hex.DecodeString(want[1])
	switch want[0] {
	case "i":
		n, err := strconv.ParseInt(want[1], 10, 64)
		exact := n >= -1<<53 && n <= 1<<53
		return err == nil && (got.Type == scoring.Int64 && got.Int() == n || got.Type == scoring.Float64 && exact && got.Float() == float64(n))
	case "r":
		bits, err := strconv.ParseUint(want[1], 16, 64)
		return err == nil && got.Type == scoring.Float64 && math.Float64bits(got.Float()) == bits
	case "t":
		return got.Text() == string(data) && (got.Type == scoring.String || got.Type == scoring.Bytes && !isText(data))
	}
	return got.Type == scoring.Bytes && got.Text() == string(data)
}

func isText(b []byte) bool { return string(bytes.ToValidUTF8(b, nil)) == string(b) }
