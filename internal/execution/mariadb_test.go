//go:build !no_duckdb

package execution_test

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"testing"

	"github.com/badger-eval/badger/connectors/fake/mariadb"
)

// mariaDB is a connection to a server that the test has started. It speaks MariaDB's protocol itself, as the
// programs of MariaDB read a text before they send it.
type mariaDB struct {
	conn net.Conn
	in   *bufio.Reader
	seq  byte
}

// startMariaDB starts a server and connects to it, and skips the test if none is installed.
func startMariaDB(t *testing.T) *mariaDB {
	t.Helper()
	conn, err := net.Dial("unix", mariadb.Start(t, "--skip-networking", "--skip-grant-tables").Socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	m := &mariaDB{conn: conn, in: bufio.NewReader(conn)}
	if err := m.login(); err != nil {
		t.Fatal(err)
	}
	return m
}

func (m *mariaDB) read() ([]byte, error) {
	var whole []byte
	for {
		var head [4]byte
		if _, err := io.ReadFull(m.in, head[:]); err != nil {
			return nil, err
		}
		n := int(head[0]) | int(head[1])<<8 | int(head[2])<<16
		m.seq = head[3] + 1
		part := make([]byte, n)
		if _, err := io.ReadFull(m.in, part); err != nil {
			return nil, err
		}
		if whole = append(whole, part...); n < 1<<24-1 {
			return whole, nil
		}
	}
}

func (m *mariaDB) write(payload []byte) error {
	head := []byte{byte(len(payload)), byte(len(payload) >> 8), byte(len(payload) >> 16), m.seq}
	m.seq++
	_, err := m.conn.Write(append(head, payload...))
	return err
}

// Capabilities of a client.
const (
	longPassword     = 1
	protocol41       = 1 << 9
	transactions     = 1 << 13
	secureConnection = 1 << 15
	multiStatements  = 1 << 16
	multiResults     = 1 << 17
	pluginAuth       = 1 << 19
)

func (m *mariaDB) login() error {
	if _, err := m.read(); err != nil {
		return err
	}
	hello := binary.LittleEndian.AppendUint32(nil, longPassword|protocol41|transactions|secureConnection|multiStatements|multiResults|pluginAuth)
	hello = binary.LittleEndian.AppendUint32(hello, 1<<24)
	hello = append(hello, 45)                  // utf8mb4
	hello = append(hello, make([]byte, 23)...) // reserved
	hello = append(hello, "root\x00\x00"...)   // the user and no password
	hello = append(hello, "mysql_native_password\x00"...)
	if err := m.write(hello); err != nil {
		return err
	}
	answer, err := m.read()
	if err == nil && answer[0] == 0xfe { // asks for the password again
		if err = m.write(nil); err == nil {
			answer, err = m.read()
		}
	}
	if err != nil {
		return err
	}
	if answer[0] != 0 {
		return fmt.Errorf("signing in: %q", answer)
	}
	return nil
}

// errStatement is what the server says of a statement.
var errStatement = errors.New("the statement failed")

// query runs a text and returns the cells of its results, row by row.
func (m *mariaDB) query(text string) (rows [][]string, err error) {
	m.seq = 0
	if err := m.write(append([]byte{3}, text...)); err != nil {
		return nil, err
	}
	const more = 8
	for {
		p, err := m.read()
		if err != nil {
			return rows, err
		}
		switch p[0] {
		case 0xff:
			return rows, fmt.Errorf("%w: %s", errStatement, p[min(len(p), 9):])
		case 0xfb: // asks for a file
			if err := m.write(nil); err != nil {
				return rows, err
			}
			continue
		case 0:
			_, n := lengthOf(p[1:])
			_, k := lengthOf(p[1+n:])
			if binary.LittleEndian.Uint16(p[1+n+k:])&more == 0 {
				return rows, nil
			}
			continue
		}
		columns, _ := lengthOf(p)
		for range columns + 1 { // their definitions and the end of these
			if _, err := m.read(); err != nil {
				return rows, err
			}
		}
		last := false
		for !last {
			if p, err = m.read(); err != nil {
				return rows, err
			}
			switch {
			case p[0] == 0xff:
				return rows, fmt.Errorf("%w: %s", errStatement, p[min(len(p), 9):])
			case p[0] == 0xfe && len(p) < 9:
				last = true
			default:
				var row []string
				for len(p) > 0 {
					if p[0] == 0xfb {
						row, p = append(row, "NULL"), p[1:]
						continue
					}
					size, n := lengthOf(p)
					row, p = append(row, string(p[n:n+size])), p[n+size:]
				}
				rows = append(rows, row)
			}
		}
		if binary.LittleEndian.Uint16(p[3:])&more == 0 {
			return rows, nil
		}
	}
}

// lengthOf reads a number of the protocol, and how many bytes it takes.
func lengthOf(p []byte) (value, bytes int) {
	switch p[0] {
	case 0xfc:
		return int(binary.LittleEndian.Uint16(p[1:])), 3
	case 0xfd:
		return int(p[1]) | int(p[2])<<8 | int(p[3])<<16, 4
	case 0xfe:
		return int(binary.LittleEndian.Uint64(p[1:])), 9 //nolint:gosec // of a small result
	}
	return int(p[0]), 1
}
