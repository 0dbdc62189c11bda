package main

import (
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/judgebackend/anthropic"
	"github.com/badger-eval/badger/judgebackend/inwarehouse"
	"github.com/badger-eval/badger/judgebackend/openai"
)

// providers are those that judges are asked of; none and replay need no package of their own.
var providers = judgebackend.Providers{openai.Provider, anthropic.Provider, inwarehouse.Cortex, inwarehouse.BigQueryAI, inwarehouse.AIQuery}
