package mysql_test

import (
	"testing"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/drivertest"
	"github.com/badger-eval/badger/connectors/fake/mariadb"
)

func TestValuesOfMariaDB(t *testing.T) {
	server := mariadb.Start(t)
	server.Exec(t, "CREATE DATABASE shop", "USE shop", "SET time_zone = '+05:30', sql_mode = '', NAMES utf8mb4",
		`CREATE TABLE v (t TINYINT, b BOOLEAN, tu TINYINT UNSIGNED, s SMALLINT, mu MEDIUMINT UNSIGNED, i INT, iu INT UNSIGNED, y YEAR, b1 BIT(1), b64 BIT(64),
			d DECIMAL(65, 30), zero DATE, part DATE, zt DATETIME, ts TIMESTAMP(6) NULL, tz TIMESTAMP NULL, c CHAR(5), l VARCHAR(5) CHARACTER SET latin1, x TEXT, e ENUM('sad', 'ok'),
			st SET('a', 'b', 'c'), bl BLOB, j JSON)`,
		`INSERT INTO v VALUES (-128, TRUE, 255, -32768, 16777215, -2147483648, 4294967295, 2155, b'1', X'ffffffffffffffff',
			-99999999999999999999999999999999999.999999999999999999999999999999, '0000-00-00', '2024-02-00', '0000-00-00', '2024-06-01 12:00:00.123456', '0000-00-00', 'ab   ', 'é',
			CONCAT('a', CHAR(0), 'b'), 'sad', 'a,c', X'ff00', '{"b": 1,  "a": 1.0}')`)
	c := open(t, server.URL("root", "shop"), driver.Options{})
	defer c.Close() //nolint:errcheck // only read from
	drivertest.TestValues(t, "mysql", c, nil, nil)
}
