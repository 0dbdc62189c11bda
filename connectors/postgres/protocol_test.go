package postgres_test

import (
	"context"
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/drivertest"
	"github.com/badger-eval/badger/connectors/postgres"
	"github.com/badger-eval/badger/internal/errcode"
)

// answers is a server that describes every statement as one column and returns what it is told to,
// as happens when two statements are exchanged on the way.
func answers(t *testing.T, columns []string, row [][]byte) (url string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go serve(conn, columns, row)
		}
	}()
	return fmt.Sprintf("postgres://u@%s/d?sslmode=disable", l.Addr())
}

func serve(conn net.Conn, columns []string, row [][]byte) {
	defer conn.Close()
	b := pgproto3.NewBackend(conn, conn)
	if _, err := b.ReceiveStartupMessage(); err != nil {
		return
	}
	described := func(names ...string) *pgproto3.RowDescription {
		d := &pgproto3.RowDescription{}
		for _, n := range names {
			d.Fields = append(d.Fields, pgproto3.FieldDescription{Name: []byte(n), DataTypeOID: pgtype.TextOID, DataTypeSize: -1, TypeModifier: -1})
		}
		return d
	}
	ready := func() {
		b.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
		b.Flush()
	}
	b.Send(&pgproto3.AuthenticationOk{})
	ready()
	asked, running := "", false
	for {
		m, err := b.Receive()
		if err != nil {
			return
		}
		switch m := m.(type) {
		case *pgproto3.Query:
			if strings.Contains(m.String, "pg_backend_pid") {
				b.Send(described("pg_backend_pid"))
				b.Send(&pgproto3.DataRow{Values: [][]byte{[]byte("7")}})
			}
			b.Send(&pgproto3.CommandComplete{CommandTag: []byte("SELECT 1")})
			ready()
		case *pgproto3.Parse:
			asked = m.Query
			b.Send(&pgproto3.ParseComplete{})
		case *pgproto3.Bind:
			running = asked == "SELECT 'x' AS a"
			b.Send(&pgproto3.BindComplete{})
		case *pgproto3.Describe:
			switch {
			case m.ObjectType == 'S':
				b.Send(&pgproto3.ParameterDescription{})
				b.Send(described("a"))
			case running:
				b.Send(described(columns...))
			default:
				b.Send(&pgproto3.NoData{})
			}
		case *pgproto3.Execute:
			if running {
				b.Send(&pgproto3.DataRow{Values: row})
			}
			b.Send(&pgproto3.CommandComplete{CommandTag: []byte("SELECT 1")})
			running = false
		case *pgproto3.Sync:
			ready()
		}
	}
}

// A result that is not as it was described is an error, whatever is in it.
func TestAnswersOfAnotherStatement(t *testing.T) {
	text := func(values ...string) (row [][]byte) {
		for _, v := range values {
			row = append(row, []byte(v))
		}
		return row
	}
	for _, tc := range []struct {
		why     string
		columns []string
		row     [][]byte
		want    errcode.Code
	}{
		{"as described", []string{"a"}, text("x"), errcode.OK},
		{"more values than described", []string{"a"}, text("x", "y"), errcode.DataLoss},
		{"fewer values than described", []string{"a"}, nil, errcode.DataLoss},
		{"another column", []string{"b"}, text("x"), errcode.DataLoss},
		{"more columns, and values for them", []string{"a", "b"}, text("x", "y"), errcode.DataLoss},
		{"no columns at all", nil, nil, errcode.DataLoss},
	} {
		c, _, err := postgres.Open(context.Background(), answers(t, tc.columns, tc.row), driver.Options{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := drivertest.Read(context.Background(), c, "SELECT 'x' AS a")
		if errcode.Of(err) != tc.want || err == nil && row(got) != "x" {
			t.Errorf("%s: %v, %v, want %v", tc.why, got, err, tc.want)
		}
		c.Close()
	}
}
