package driver_test

import (
	"testing"

	"github.com/badger-eval/badger/connectors/driver"
)

func TestLoopback(t *testing.T) {
	for host, want := range map[string]bool{
		"localhost": true, "127.0.0.1": true, "127.8.9.10": true, "::1": true, "[::1]": true, "::ffff:127.0.0.1": true,
		"": false, "localhost.example.com": false, "0.0.0.0": false, "::": false, "10.0.0.1": false, "127.0.0.1.example.com": false, "127.1": false,
	} {
		if got := driver.Loopback(host); got != want {
			t.Errorf("%q: %v, want %v", host, got, want)
		}
	}
}
