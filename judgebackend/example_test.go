package judgebackend_test

import (
	"context"
	"fmt"

	"github.com/badger-eval/badger/judgebackend"
)

// A stack puts ledger, budget and retries around a backend: the same question is asked once.
func ExampleNewStack() {
	calls := 0
	model := judgebackend.Func(func(context.Context, judgebackend.Request) (judgebackend.Response, error) {
		calls++
		return judgebackend.Response{Reply: `{"verdict": "pass"}`}, nil
	})
	stack, err := judgebackend.NewStack(model, &judgebackend.StackOptions{Store: &judgebackend.MemoryStore{}})
	if err != nil {
		fmt.Println(err)
		return
	}
	r := judgebackend.Request{Purpose: "example", Messages: []judgebackend.Message{{Role: judgebackend.User, Content: "Is this right?"}}}
	for range 2 {
		answer, err := stack.Complete(context.Background(), r)
		fmt.Println(answer.Reply, answer.Cached, calls, err)
	}
	// Output:
	// {"verdict": "pass"} false 1 <nil>
	// {"verdict": "pass"} true 1 <nil>
}

// A reply is data: it is found among other words, and checked.
func ExampleDecode() {
	schema := []byte(`{"type": "object", "properties": {"verdict": {"enum": ["pass", "fail"]}}, "required": ["verdict"]}`)
	var reply struct{ Verdict string }
	fmt.Println(judgebackend.Decode("Sure: {\"verdict\": \"pass\"}", schema, &reply), reply.Verdict)
	fmt.Println(judgebackend.Decode(`{"verdict": "maybe"}`, schema, &reply) != nil)
	// Output:
	// <nil> pass
	// true
}
