package main

import (
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/judgebackend/anthropic"
	"github.com/badger-eval/badger/judgebackend/inwarehouse"
	"github.com/badger-eval/badger/judgebackend/openai"
)

// providers are the linked judge providers. The providers none and replay are built in.
var providers = judgebackend.Providers{openai.Provider, anthropic.Provider, inwarehouse.Cortex, inwarehouse.BigQueryAI,
	inwarehouse.AIQuery}
