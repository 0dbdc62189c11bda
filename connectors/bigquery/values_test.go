package bigquery_test

import (
	"encoding/json"
	"strings"
	"testing"

	bq "google.golang.org/api/bigquery/v2"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/drivertest"
	fakebigquery "github.com/badger-eval/badger/connectors/fake/bigquery"
)

// Values are sent as a field of the REST API's schema, and a cell.
func TestValuesOfBigQuery(t *testing.T) {
	s := start(t)
	c := open(t, s, driver.Options{})
	defer c.Close() //nolint:errcheck // the test's end
	drivertest.TestValues(t, "bigquery", c, func(t *testing.T, query string, v drivertest.Value) {
		d := json.NewDecoder(strings.NewReader(v.Sent))
		field, cell := &bq.TableFieldSchema{}, any(nil)
		if err := d.Decode(field); err != nil {
			t.Fatal(err)
		}
		if err := d.Decode(&cell); err != nil {
			t.Fatal(err)
		}
		field.Name = "v"
		s.Canned[query] = fakebigquery.Result{Schema: &bq.TableSchema{Fields: []*bq.TableFieldSchema{field}}, Rows: []*bq.TableRow{{F: []*bq.TableCell{{V: cell}}}}}
	}, nil)
}
