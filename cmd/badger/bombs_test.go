package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/flight"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/compress"
	"github.com/apache/arrow/go/v17/parquet/file"
	"github.com/apache/arrow/go/v17/parquet/schema"
	"github.com/klauspost/compress/zstd"
	"golang.org/x/net/http2"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"

	"github.com/badger-eval/badger/internal/sample"
	"github.com/badger-eval/badger/udf/udfpb"
)

// What docs/operate/serve.md says of a server's resident memory: limits.memory_bytes and this.
const (
	bombMemory = 256 << 20
	bombRoom   = 256 << 20
)

// bombTime is how long a caller of bombs waits.
var bombTime = func() time.Duration {
	if os.Getenv("BADGER_BOMBS") != "" {
		return 5 * time.Second
	}
	return time.Second
}()

// bombed is a server in a process of its own, with what is thrown at it.
type bombed struct {
	t          testing.TB
	pid        int
	grpc, http string
	dir        string // where its references lie
	results    string // further settings of results
	log        *lockedTail
}

const (
	honestToken  = "0123456789abcdef-honest"
	hostileToken = "0123456789abcdef-hostile"
)

// bombTables makes a warehouse of tables that take more than they say, and returns their names.
var bombTables = func(*bombed) []string { return nil }

// No input makes a server take more memory than its limits and a constant: as the system counts it, not
// as the server does. An honest caller is served beside. One is thrown, or where tests are thorough
// or a part of a name is given all.
func TestBombs(t *testing.T) {
	if testing.Short() {
		t.Skip("takes most of a minute")
	}
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip("the memory of a process is read from /proc, which is not here")
	}
	b := newBombed(t)
	bombs := []struct {
		name  string
		throw func()
	}{
		{"gRPC messages that are compressed", func() { b.compressedMessages("/arrow.flight.protocol.FlightService/DoExchange", 60) }},
		{"unary messages that are compressed", func() { b.compressedMessages("/badger.v1.Scoring/Call", 60) }},
		{"gRPC messages that never end", func() { b.endlessMessages(40) }},
		{"gRPC messages in frames of one byte", func() { b.tinyFrames(20) }},
		{"Arrow buffers that are compressed", b.compressedArrow},
		{"Arrow dictionaries", b.dictionaries},
		{"replies that nobody reads", b.unreadReplies},
		{"lists of nothing in unary messages", b.hollowMessages},
		{"bodies that are compressed", func() {
			b.posts(40, 1, "badger_echo", gzipOf(strings.Repeat(" ", 100<<20)), "Content-Encoding", "gzip")
		}},
		{"many rows of little", func() {
			b.posts(60, 4, "hybrid_ex_json", gzipOf(`{"rows":[`+strings.Repeat("[1,2],", 90_000)+"[1,2]]}"), "Content-Encoding", "gzip")
		}},
		{"a long text in many rows", func() {
			b.posts(10, 2, "badger_functions", []byte(`{"rows":[`+strings.Repeat("[],", 99_000)+"[]]}"))
		}},
		{"results of many columns", func() {
			wide := `{"columns":[` + strings.Repeat(`"",`, 60_000) + `""],"rows":[[` + strings.Repeat("0,", 60_000) + "0]]}"
			b.posts(8, 2, "hybrid_ex", rowsOf(slices.Repeat([][2]string{{wide, wide}}, 10)))
		}},
		{"results of mixed values", func() {
			mixed := `{"columns":["a"],"rows":[[1]` + strings.Repeat(`,["a"],[true],[1]`, 150_000) + "]}"
			b.posts(16, 2, "hybrid_ex", rowsOf([][2]string{{mixed, mixed}}))
		}},
		{"results of numbers of all sizes", func() {
			wild := `{"columns":["a"],"rows":[[1]` + strings.Repeat(`,[1e300],[1e-300]`, 100_000) + "]}"
			b.posts(16, 2, "hybrid_ex", rowsOf([][2]string{{wild, wild}}))
		}},
		{"numbers that a last value makes large", func() {
			text := `{"columns":["a"],"rows":[` + strings.Repeat("[1],", 1_200_000) + "[123456789012345678901234567890]]}"
			b.posts(12, 2, "hybrid_ex", rowsOf([][2]string{{text, text}}))
		}},
		{"cases of many gold queries", func() {
			b.post(20, "/v1/score", []byte(`{"case_id":"c","question":"q","gold":[`+strings.Repeat(`{},`, 2_000_000)+`{}]}`))
		}},
	}
	bombs = append(bombs, struct {
		name  string
		throw func()
	}{"connections that say nothing", b.strangers}, struct {
		name  string
		throw func()
	}{"frames that carry nothing", b.floods})
	written := map[string]func() []byte{} // by name of the bomb
	for _, f := range bombFiles {
		name := "a reference to " + f.name
		written[name] = func() []byte { return f.data(t) }
		bombs = append(bombs, struct {
			name  string
			throw func()
		}{name, func() {
			rows := slices.Repeat([][2]string{{"file:" + f.name, `{"columns":["a"],"rows":[["x"]]}`}}, 5)
			b.posts(10, 1, "hybrid_ex_json", rowsOf(rows))
		}})
	}
	for _, table := range bombTables(b) {
		bombs = append(bombs, struct {
			name  string
			throw func()
		}{"a reference to table " + table, func() {
			ref := "table:gold." + table
			b.posts(40, 1, "hybrid_ex_json", rowsOf([][2]string{{ref, ref}}))
		}})
	}
	only := os.Getenv("BADGER_BOMB") // a part of a name
	for i, bomb := range bombs {
		if !strings.Contains(bomb.name, only) || only == "" && !sample.Takes(i, len(bombs), len(bombs)) {
			continue
		}
		if data := written[bomb.name]; data != nil {
			b.write(strings.TrimPrefix(bomb.name, "a reference to "), data())
		}
		stop := b.start()
		alone := b.resident("VmHWM")
		begun := time.Now()
		beside := b.honest(bomb.throw)
		most := b.resident("VmHWM")
		t.Logf("%4d MiB after %d, %.1f s  %s; beside: %s", most>>20, alone>>20, time.Since(begun).Seconds(), bomb.name, beside)
		if most > bombMemory+bombRoom {
			t.Errorf("%s: %d MiB resident, want at most %d", bomb.name, most>>20, (bombMemory+bombRoom)>>20)
		}
		stop()
	}
}

func newBombed(t *testing.T) *bombed {
	t.Helper()
	return &bombed{t: t, dir: t.TempDir()}
}

// lockedTail keeps the end of a log.
type lockedTail struct {
	mu   sync.Mutex
	text []byte
}

func (l *lockedTail) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.text = append(l.text, p...); len(l.text) > 1<<16 {
		l.text = bytes.Clone(l.text[len(l.text)-1<<15:])
	}
	return len(p), nil
}

// start starts the server, and returns what ends it.
func (b *bombed) start() (stop func()) {
	t := b.t
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	tokens := write("tokens", "honest:"+honestToken+"\nhostile:"+hostileToken+"\n")
	config := write("badger.yaml", fmt.Sprintf("listen: {grpc: '127.0.0.1:0', http: '127.0.0.1:0'}\nauth: {token_file: %q}\nresults: {files: [%q]%s}\nlimits: {memory_bytes: %d, read_time: 3s}\n", tokens, b.dir, b.results, bombMemory))
	program := filepath.Join(dir, "badger") // the name by which a test program is the command
	if err := os.Symlink(os.Args[0], program); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "serve", "--config", config)
	stderr, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	stop = sync.OnceFunc(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		bombClient.CloseIdleConnections()
	})
	t.Cleanup(stop)
	in := bufio.NewReader(stderr)
	first, err := in.ReadString('\n')
	addrs := regexp.MustCompile(`127\.0\.0\.1:\d+`).FindAllString(first, 2)
	if err != nil || len(addrs) != 2 {
		t.Fatalf("%q, %v", first, err)
	}
	b.log = &lockedTail{}
	go func() { _, _ = io.Copy(b.log, in) }()
	b.pid, b.grpc, b.http = cmd.Process.Pid, addrs[0], "http://"+addrs[1]
	return stop
}

// resident is a line of the process's status, in bytes.
func (b *bombed) resident(line string) int64 {
	b.t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", b.pid))
	if err != nil {
		b.t.Fatal(err)
	}
	found := regexp.MustCompile(line + `:\s+(\d+) kB`).FindSubmatch(status)
	if found == nil {
		b.t.Fatalf("the process has ended:\n%s", b.log.text)
	}
	kb, _ := strconv.ParseInt(string(found[1]), 10, 64)
	return kb << 10
}

// honest runs f, beside which a caller with a token of its own calls. It tells how that caller fared.
func (b *bombed) honest(f func()) string {
	stop, done := make(chan struct{}), make(chan struct{})
	var took []time.Duration
	refused := map[int]int{}
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			case <-time.After(20 * time.Millisecond):
			}
			begun := time.Now()
			code, _ := b.call(honestToken, "hybrid_ex")
			if took = append(took, time.Since(begun)); code != 200 {
				refused[code]++
			}
		}
	}()
	f()
	close(stop)
	<-done
	slices.Sort(took)
	if len(took) == 0 {
		return "no call"
	}
	at := func(p int) time.Duration { return took[len(took)*p/100].Round(time.Millisecond / 10) }
	return fmt.Sprintf("%d calls, p50 %v, p99 %v, refused %v", len(took), at(50), at(99), refused)
}

func (b *bombed) call(token, function string) (int, string) {
	r := `{\"columns\":[\"a\"],\"rows\":[[1],[2]]}`
	return b.send(token, "/v1/functions/"+function, []byte(`{"rows":[["`+r+`","`+r+`"]]}`))
}

var bombClient = &http.Client{Timeout: bombTime, Transport: &http.Transport{MaxIdleConnsPerHost: 100}}

func (b *bombed) send(token, path string, body []byte, headers ...string) (int, string) {
	req, _ := http.NewRequest(http.MethodPost, b.http+path, bytes.NewReader(body))
	req.Header.Set("Authorization", "Bearer "+token)
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := bombClient.Do(req)
	if err != nil {
		return 0, err.Error()
	}
	defer resp.Body.Close()
	text, _ := io.ReadAll(io.LimitReader(resp.Body, 1000))
	_, _ = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode, string(text)
}

// posts sends a body to a function from many connections, several times each.
func (b *bombed) posts(n, times int, function string, body []byte, headers ...string) {
	together(n, func(int) {
		for range times {
			b.send(hostileToken, "/v1/functions/"+function, body, headers...)
		}
	})
}

func (b *bombed) post(n int, path string, body []byte) {
	together(n, func(int) { b.send(hostileToken, path, body) })
}

func rowsOf(rows [][2]string) []byte {
	var out bytes.Buffer
	out.WriteString(`{"rows":[`)
	for i, r := range rows {
		if i > 0 {
			out.WriteByte(',')
		}
		fmt.Fprintf(&out, "[%q,%q]", r[0], r[1]) // plain ASCII
	}
	out.WriteString("]}")
	return out.Bytes()
}

func gzipOf(text string) []byte {
	var out bytes.Buffer
	z, _ := gzip.NewWriterLevel(&out, gzip.BestSpeed)
	_, _ = io.WriteString(z, text)
	_ = z.Close()
	return out.Bytes()
}

// raw sends bytes as the body of a gRPC call, on connections of so many calls each.
func (b *bombed) raw(n int, path, encoding string, body func(ctx context.Context) io.Reader) {
	transport := &http2.Transport{AllowHTTP: true, DialTLSContext: func(ctx context.Context, network, addr string, _ *tls.Config) (net.Conn, error) { //nolint:staticcheck // frames of one byte are sent by it
		return (&net.Dialer{}).DialContext(ctx, network, addr)
	}}
	defer transport.CloseIdleConnections() //nolint:staticcheck // likewise
	ctx, cancel := context.WithTimeout(b.t.Context(), bombTime)
	defer cancel()
	together(n, func(int) {
		req, _ := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+b.grpc+path, io.NopCloser(body(ctx)))
		for name, value := range map[string]string{"Content-Type": "application/grpc", "Te": "trailers", "Authorization": "Bearer " + hostileToken, "Grpc-Encoding": encoding} {
			if value != "" {
				req.Header.Set(name, value)
			}
		}
		resp, err := transport.RoundTrip(req) //nolint:staticcheck // likewise
		if err != nil {
			return
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
	})
}

// framed is a gRPC message.
func framed(compressed byte, size int, data []byte) []byte {
	head := []byte{compressed, 0, 0, 0, 0}
	binary.BigEndian.PutUint32(head[1:], uint32(size))
	return append(head, data...)
}

func (b *bombed) compressedMessages(path string, n int) {
	z := gzipOf("\xc2\x3e" + string(binary.AppendUvarint(nil, 62<<20)) + strings.Repeat("\x00", 62<<20))
	message := framed(1, len(z), z)
	b.raw(n, path, "gzip", func(context.Context) io.Reader { return bytes.NewReader(message) })
}

// untilDone ends when ctx does.
type untilDone struct{ ctx context.Context } //nolint:containedctx // lives for one call

func (u untilDone) Read([]byte) (int, error) { <-u.ctx.Done(); return 0, io.EOF }

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func (b *bombed) endlessMessages(n int) {
	for _, path := range []string{"/arrow.flight.protocol.FlightService/DoExchange", "/badger.v1.Scoring/Call"} {
		b.raw(n, path, "", func(ctx context.Context) io.Reader {
			return io.MultiReader(bytes.NewReader(framed(0, 63<<20, nil)), io.LimitReader(zeros{}, 62<<20), untilDone{ctx})
		})
	}
}

// tinyFrames sends messages byte by byte.
func (b *bombed) tinyFrames(n int) {
	b.raw(n, "/arrow.flight.protocol.FlightService/DoExchange", "", func(ctx context.Context) io.Reader {
		return io.MultiReader(bytes.NewReader(framed(0, 30<<20, nil)), oneByte{io.LimitReader(zeros{}, 300_000)}, untilDone{ctx})
	})
}

type oneByte struct{ io.Reader }

func (o oneByte) Read(p []byte) (int, error) { return o.Reader.Read(p[:1]) }

// exchanges sends the messages of an exchange on so many connections, and reads the replies or not.
func (b *bombed) exchanges(n int, function string, messages []*flight.FlightData, read bool) {
	ctx, cancel := context.WithTimeout(b.t.Context(), bombTime)
	defer cancel()
	ctx = metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+hostileToken)
	together(n, func(int) {
		conn, err := grpc.NewClient(b.grpc, grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(1<<30)))
		if err != nil {
			return
		}
		defer conn.Close()
		stream, err := flight.NewClientFromConn(conn, nil).DoExchange(ctx)
		if err != nil {
			return
		}
		for i, m := range messages {
			d := &flight.FlightData{DataHeader: m.DataHeader, DataBody: m.DataBody}
			if i == 0 {
				d.FlightDescriptor = &flight.FlightDescriptor{Type: flight.DescriptorPATH, Path: []string{function}}
			}
			if stream.Send(d) != nil {
				break
			}
		}
		if !read {
			<-ctx.Done()
			return
		}
		_ = stream.CloseSend()
		for err == nil {
			_, err = stream.Recv()
		}
	})
}

type messageList struct{ list []*flight.FlightData }

func (m *messageList) Send(d *flight.FlightData) error {
	m.list = append(m.list, &flight.FlightData{DataHeader: bytes.Clone(d.DataHeader), DataBody: bytes.Clone(d.DataBody)})
	return nil
}

func messagesOf(rec arrow.Record, opts ...ipc.Option) []*flight.FlightData {
	var m messageList
	w := flight.NewRecordWriter(&m, append(opts, ipc.WithSchema(rec.Schema()))...)
	_ = w.Write(rec)
	return m.list
}

// longRecord is a record of one row, of texts of so many bytes.
func longRecord(sizes ...int) arrow.Record {
	fields, arrays := make([]arrow.Field, len(sizes)), make([]arrow.Array, len(sizes))
	for i, n := range sizes {
		builder := array.NewStringBuilder(memory.DefaultAllocator)
		builder.Append(strings.Repeat("a", n))
		fields[i], arrays[i] = arrow.Field{Name: fmt.Sprint("c", i), Type: arrow.BinaryTypes.String, Nullable: true}, builder.NewArray()
	}
	return array.NewRecord(arrow.NewSchema(fields, nil), arrays, 1)
}

func (b *bombed) compressedArrow() {
	b.exchanges(20, "hybrid_ex", messagesOf(longRecord(30<<20, 30<<20), ipc.WithZstd()), true)
	b.exchanges(20, "badger_echo", messagesOf(longRecord(60<<20), ipc.WithLZ4()), true)
}

func (b *bombed) dictionaries() {
	const columns = 20
	fields, arrays := make([]arrow.Field, columns), make([]arrow.Array, columns)
	builder := array.NewStringBuilder(memory.DefaultAllocator)
	builder.Append(strings.Repeat("a", 40<<20))
	words := builder.NewArray()
	index := array.NewInt8Builder(memory.DefaultAllocator)
	index.AppendValues(make([]int8, 100), nil)
	indices := index.NewArray()
	for i := range arrays {
		kind := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
		fields[i], arrays[i] = arrow.Field{Name: fmt.Sprint("c", i), Type: kind}, array.NewDictionaryArray(kind, indices, words)
	}
	messages := messagesOf(array.NewRecord(arrow.NewSchema(fields, nil), arrays, 100))
	b.exchanges(3, "hybrid_ex", messages, true)
	one := messagesOf(array.NewRecord(arrow.NewSchema(fields[:1], nil), arrays[:1], 100))
	b.exchanges(3, "badger_echo", one, true)
}

func (b *bombed) unreadReplies() {
	messages := messagesOf(longRecord(30 << 20))
	b.exchanges(20, "badger_echo", append(messages, messages[1], messages[1]), false)
}

// hollowMessages are of lists whose elements take no bytes to say and many to keep.
func (b *bombed) hollowMessages() {
	texts := &udfpb.Column{Values: &udfpb.Column_Texts{Texts: &udfpb.Texts{Values: make([]string, 10_000_000)}}}
	for _, m := range []*udfpb.CallRequest{
		{Function: "same_text", Arguments: []*udfpb.Column{texts}},
		{Function: "same_text", Arguments: slices.Repeat([]*udfpb.Column{{}}, 5_000_000)},
	} {
		data, err := proto.Marshal(m)
		if err != nil {
			b.t.Fatal(err)
		}
		message := framed(0, len(data), data)
		b.raw(20, "/badger.v1.Scoring/Call", "", func(context.Context) io.Reader { return bytes.NewReader(message) })
	}
}

// strangers opens thousands of connections, idle, slow and half done.
func (b *bombed) strangers() {
	var open []net.Conn
	defer func() {
		for _, c := range open {
			_ = c.Close()
		}
	}()
	for i := range 4000 {
		addr, say := b.grpc, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00"
		if i%2 == 1 {
			addr, say = strings.TrimPrefix(b.http, "http://"), []string{"", "POST /v1/score HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{"}[i/2%2]
		}
		c, err := net.Dial("tcp", addr)
		if err != nil {
			break // this process may have no more open
		}
		_, _ = io.WriteString(c, say)
		open = append(open, c)
	}
	time.Sleep(bombTime)
}

// floods are frames of HTTP/2 that make work and carry nothing, on 20 connections each.
func (b *bombed) floods() {
	frames := func(write func(f *http2.Framer)) string {
		var out bytes.Buffer
		write(http2.NewFramer(&out, nil))
		return out.String()
	}
	begun := grpcHead("/badger.v1.Scoring/Call", hostileToken)
	fragment := []byte(begun[9:])
	for _, flood := range []struct {
		first string
		again func(i int) string
	}{
		{"", func(i int) string { // calls that are taken back at once
			return frames(func(f *http2.Framer) {
				for k := range uint32(50) {
					id := uint32(i)*100 + 2*k + 1 //nolint:gosec // small
					_ = f.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: fragment, EndHeaders: true})
					_ = f.WriteRSTStream(id, http2.ErrCodeCancel)
				}
			})
		}},
		{frames(func(f *http2.Framer) {
			_ = f.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: fragment})
		}), func(int) string { // a head without an end
			return frames(func(f *http2.Framer) { _ = f.WriteContinuation(1, false, bytes.Repeat([]byte("\x00\x01a\x01b"), 1000)) })
		}},
		{"", func(int) string { return strings.Repeat(frames(func(f *http2.Framer) { _ = f.WriteSettings() }), 100) }},
		{"", func(int) string {
			return strings.Repeat(frames(func(f *http2.Framer) { _ = f.WritePing(false, [8]byte{}) }), 100)
		}},
		{begun, func(int) string { return strings.Repeat(dataFrame(""), 100) }},
		{begun, func(int) string {
			return strings.Repeat(frames(func(f *http2.Framer) { _ = f.WriteWindowUpdate(0, 1) }), 100)
		}},
	} {
		until := time.Now().Add(bombTime)
		together(20, func(int) {
			c, err := net.Dial("tcp", b.grpc)
			if err != nil {
				return
			}
			defer c.Close()
			go func() { _, _ = io.Copy(io.Discard, c) }()
			_, err = io.WriteString(c, preface+flood.first)
			for i := 0; err == nil && time.Now().Before(until); i++ {
				_ = c.SetDeadline(until)
				_, err = io.WriteString(c, flood.again(i))
			}
		})
	}
}

// bombFiles are references that become more than they are, one of each kind.
var bombFiles = []struct {
	name string
	data func(t testing.TB) []byte
}{
	{"dictionary.parquet", func(t testing.TB) []byte { return dictionaryParquet(t, 20_000, 65_536) }},
	{"delta.parquet", func(t testing.TB) []byte { return deltaParquet(t, 1<<20, 600) }},
	{"zstd.parquet", func(t testing.TB) []byte { return plainParquet(t, compress.Codecs.Zstd, 6, 50<<20) }},
	{"snappy.parquet", func(t testing.TB) []byte { return plainParquet(t, compress.Codecs.Snappy, 3, 50<<20) }},
	{"zstd.arrows", func(t testing.TB) []byte { return longArrow(t, ipc.WithZstd()) }},
	{"lz4.arrows", func(t testing.TB) []byte { return longArrow(t, ipc.WithLZ4()) }},
	{"bits.arrows", func(t testing.TB) []byte { return squeezedColumn(t, bombBits(8_000_000)) }},
	{"nothing.arrows", func(t testing.TB) []byte { return squeezedColumn(t, bombList(300_000_000)) }},
	{"cells.csv", func(testing.TB) []byte {
		return []byte(strings.Repeat(strings.Repeat(",", 60_000)+"\n", 900))
	}},
	{"words.csv.gz", func(testing.TB) []byte { return gzipOf("a\n" + strings.Repeat("NA\n", 6_000_000)) }},
	{"rows.csv.gz", func(testing.TB) []byte {
		return gzipOf(strings.Repeat("a\n"+strings.Repeat("a", 1000)+"\n", 150_000))
	}},
	{"cell.csv.zst", func(t testing.TB) []byte { return squeezedLetters(t, 300<<20) }},
	{"window.csv.zst", func(t testing.TB) []byte { return squeezedLetters(t, 20<<20, zstd.WithWindowSize(512<<20)) }},
	{"wide.csv", func(testing.TB) []byte {
		return []byte(strings.Repeat(",", 20_000_000) + "\n" + strings.Repeat(",", 20_000_000))
	}},
	{"numbers.csv.gz", func(testing.TB) []byte { return gzipOf(strings.Repeat("1\n", 40_000_000)) }},
	{"list.json.gz", func(testing.TB) []byte {
		return gzipOf("[" + strings.Repeat(`{"a":1},`, 12_000_000) + `{"a":1}]`)
	}},
	{"wide.json", func(testing.TB) []byte {
		var keys strings.Builder
		for i := range 1_000_000 {
			fmt.Fprintf(&keys, `"%x":1,`, i)
		}
		return []byte("[{" + keys.String() + `"z":1}]`)
	}},
	{"mixed.json", func(testing.TB) []byte {
		return []byte("[[1]" + strings.Repeat(`,["a"],[1],[true]`, 2_000_000) + "]")
	}},
}

// write writes a file that references may name.
func (b *bombed) write(name string, data []byte) {
	b.t.Helper()
	if err := os.WriteFile(filepath.Join(b.dir, name), data, 0o600); err != nil {
		b.t.Fatal(err)
	}
}

// longArrow is a stream of three long texts.
func longArrow(t testing.TB, o ipc.Option) []byte {
	t.Helper()
	var out bytes.Buffer
	rec := longRecord(50<<20, 50<<20, 50<<20)
	w := ipc.NewWriter(&out, ipc.WithSchema(rec.Schema()), o)
	if err := w.Write(rec); err != nil {
		t.Fatal(err)
	}
	_ = w.Close()
	return out.Bytes()
}

// squeezedLetters is a CSV file of one cell of so many letters, compressed.
func squeezedLetters(t testing.TB, n int64, o ...zstd.EOption) []byte {
	t.Helper()
	var out bytes.Buffer
	z, err := zstd.NewWriter(&out, o...)
	if err == nil {
		_, err = io.Copy(z, io.MultiReader(strings.NewReader("a\n"), io.LimitReader(letters{}, n)))
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// squeezedColumn is a stream of one column, compressed.
func squeezedColumn(t testing.TB, arr arrow.Array) []byte {
	t.Helper()
	var out bytes.Buffer
	rec := array.NewRecord(arrow.NewSchema([]arrow.Field{{Name: "a", Type: arr.DataType(), Nullable: true}}, nil), []arrow.Array{arr}, int64(arr.Len()))
	w := ipc.NewWriter(&out, ipc.WithSchema(rec.Schema()), ipc.WithZstd())
	if err := w.Write(rec); err != nil {
		t.Fatal(err)
	}
	_ = w.Close()
	return out.Bytes()
}

// bombBits are as many truth values.
func bombBits(rows int) arrow.Array {
	return array.MakeFromData(array.NewData(arrow.FixedWidthTypes.Boolean, rows, []*memory.Buffer{nil, memory.NewBufferBytes(make([]byte, rows/8))}, nil, 0, 0))
}

// bombList is one list of as many NULLs.
func bombList(items int) arrow.Array {
	ends := memory.NewBufferBytes(arrow.Int32Traits.CastToBytes([]int32{0, int32(items)})) //nolint:gosec // small
	return array.NewListData(array.NewData(arrow.ListOf(arrow.Null), 1, []*memory.Buffer{nil, ends}, []arrow.ArrayData{array.NewNull(items).Data()}, 0, 0))
}

type letters struct{}

func (letters) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'a'
	}
	return len(p), nil
}

// dictionaryParquet is a column of one long text in many rows.
func dictionaryParquet(t testing.TB, length, rows int) []byte {
	t.Helper()
	return parquetOf(t, []int{length}, rows, parquet.NewWriterProperties(parquet.WithDictionaryDefault(true), parquet.WithDictionaryPageSizeLimit(1<<30), parquet.WithStats(false)))
}

// plainParquet is columns of one row, of a long text each.
func plainParquet(t testing.TB, codec compress.Compression, columns, length int) []byte {
	t.Helper()
	return parquetOf(t, slices.Repeat([]int{length}, columns), 1, parquet.NewWriterProperties(parquet.WithDictionaryDefault(false), parquet.WithCompression(codec), parquet.WithStats(false)))
}

// deltaParquet is a column of texts that each continue a long one: of each, the file has the last letter.
func deltaParquet(t testing.TB, length, rows int) []byte {
	t.Helper()
	text := bytes.Repeat([]byte("a"), length)
	return parquetWith(t, []int{length}, parquet.NewWriterProperties(parquet.WithDictionaryDefault(false), parquet.WithEncoding(parquet.Encodings.DeltaByteArray), parquet.WithCompression(compress.Codecs.Zstd),
		parquet.WithStats(false), parquet.WithDataPageSize(1<<30)), func(int) []parquet.ByteArray {
		out := make([]parquet.ByteArray, rows)
		for i := range out {
			out[i] = append(text[:length:length], byte('a'+i%2))
		}
		return out
	})
}

func parquetOf(t testing.TB, lengths []int, rows int, properties *parquet.WriterProperties) []byte {
	t.Helper()
	return parquetWith(t, lengths, properties, func(n int) []parquet.ByteArray {
		return slices.Repeat([]parquet.ByteArray{bytes.Repeat([]byte("a"), n)}, rows)
	})
}

func parquetWith(t testing.TB, lengths []int, properties *parquet.WriterProperties, texts func(length int) []parquet.ByteArray) []byte {
	t.Helper()
	var fields schema.FieldList
	for i := range lengths {
		fields = append(fields, schema.NewByteArrayNode(fmt.Sprint("c", i), parquet.Repetitions.Required, -1))
	}
	root, err := schema.NewGroupNode("schema", parquet.Repetitions.Required, fields, -1)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w := file.NewParquetWriter(&out, root, file.WithWriterProps(properties))
	group := w.AppendRowGroup()
	for _, n := range lengths {
		column, err := group.NextColumn()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := column.(*file.ByteArrayColumnChunkWriter).WriteBatch(texts(n), nil, nil); err != nil {
			t.Fatal(err)
		}
		if err := column.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := group.Close(); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// together makes n calls at the same time.
func together(n int, call func(i int)) {
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { call(i) })
	}
	wg.Wait()
}
