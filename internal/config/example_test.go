package config_test

import (
	"fmt"

	"github.com/badger-eval/badger/internal/config"
)

func ExampleMaskSecrets() {
	fmt.Println(config.MaskSecrets("postgres://ana:hunter2@db.example/warehouse"))
	// Output:
	// postgres://ana:***@db.example/warehouse
}
