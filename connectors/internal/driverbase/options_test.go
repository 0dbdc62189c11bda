package driverbase_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/badger-eval/badger/connectors/internal/driverbase"
	"github.com/badger-eval/badger/internal/errcode"
)

type color string

type settings struct {
	name  string
	loud  bool
	rows  int64
	port  int
	wait  time.Duration
	color color
	proxy *url.URL
	param map[string]string
}

func (s *settings) options() driverbase.Options {
	return driverbase.Options{
		"name": driverbase.Text(&s.name), "token_file": driverbase.Text(&s.name), "loud": driverbase.Bool(&s.loud), "rows": driverbase.Positive(&s.rows, "a positive number of rows"), "port": driverbase.Port(&s.port),
		"wait": driverbase.Duration(&s.wait, time.Second, "a duration such as 5s"), "color": driverbase.Choice(&s.color, "red", "green", "blue"), "proxy": driverbase.Proxy(&s.proxy), "param.": driverbase.Each(&s.param),
	}
}

func TestOptions(t *testing.T) {
	var s settings
	if err := s.options().Read("engine", "name=a%20b&loud=1&rows=9223372036854775807&port=65535&wait=1s&color=Green&proxy=http://p:1&param.A=x&param.b.c="); err != nil {
		t.Fatal(err)
	}
	if s.name != "a b" || !s.loud || s.rows != 9223372036854775807 || s.port != 65535 || s.wait != time.Second || s.color != "green" || s.proxy.Host != "p:1" || len(s.param) != 2 || s.param["A"] != "x" || s.param["b.c"] != "" {
		t.Errorf("read %+v", s)
	}
	for query, says := range map[string]string{
		"": "", "loud=hunter2": "option loud: expected true or false", "rows=0": "option rows: expected a positive number of rows", "rows=1.5": "option rows", "rows=9223372036854775808": "option rows",
		"port=65536": "from 1 to 65535", "port=0": "from 1 to 65535", "wait=999ms": "a duration such as 5s", "color=hunter2": "option color: expected red, green or blue", "proxy=socks5://hunter2": "option proxy: expected http://HOST:PORT",
		"name=": "option name: expected a value", "name=hunter2&name=hunter2": "option name is given 2 times", "nothing=hunter2": `unknown option "nothing"; there are color, loud, name, param.NAME, port, proxy, rows, token_file and wait`,
		"param.=hunter2": `unknown option "param."`, "param=hunter2": `unknown option "param"`, "other.x=hunter2": "unknown option", "password=hunter2": "must not contain password: name a file", "access_token=hunter2": "must not contain access_token",
		"name=%zz": "malformed; expected OPTION=VALUE",
	} {
		err := new(settings).options().Read("engine", query)
		if says == "" {
			if err != nil {
				t.Errorf("%s: %v", query, err)
			}
			continue
		}
		if errcode.Of(err) != errcode.InvalidArgument || !strings.HasPrefix(err.Error(), "engine: ") || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v, want it to say %q", query, err, says)
		}
	}
}

func TestOneText(t *testing.T) {
	one := arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.BinaryTypes.String, Nullable: true}}, nil)
	record := func(values ...string) arrow.Record {
		b := array.NewRecordBuilder(memory.NewGoAllocator(), one)
		defer b.Release()
		for _, v := range values {
			if v == "NULL" {
				b.Field(0).AppendNull()
			} else {
				b.Field(0).(*array.StringBuilder).Append(v)
			}
		}
		return b.NewRecord()
	}
	for _, tc := range []struct {
		why     string
		records []arrow.Record
		want    string
		says    string
	}{
		{"one", []arrow.Record{record("añ")}, "añ", ""},
		{"one among empty records", []arrow.Record{record(), record("x"), record()}, "x", ""},
		{"NULL", []arrow.Record{record("NULL")}, "", ""},
		{"none", []arrow.Record{record()}, "", "engine: no rows; expected one string"},
		{"two", []arrow.Record{record("x"), record("NULL")}, "", "engine: several rows; expected one string"},
	} {
		r, err := array.NewRecordReader(one, tc.records)
		if err != nil {
			t.Fatal(err)
		}
		got, err := driverbase.OneText("engine", r)
		if got != tc.want || (err != nil) != (tc.says != "") || err != nil && (err.Error() != tc.says || errcode.Of(err) != errcode.InvalidArgument) {
			t.Errorf("%s: %q, %v; want %q, %s", tc.why, got, err, tc.want, tc.says)
		}
	}
	r, err := array.NewRecordReader(schema("a", "b"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := driverbase.OneText("engine", r); err == nil || err.Error() != "engine: 2 columns; expected one string" {
		t.Errorf("two columns: %v", err)
	}
}
