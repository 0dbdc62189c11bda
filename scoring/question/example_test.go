package question_test

import (
	"fmt"

	"github.com/badger-eval/badger/scoring/question"
)

func ExampleRead() {
	q := question.Read("What is the average price, rounded to 2 decimals?", "")
	digits, asked := q.Digits()
	fmt.Println(digits, asked)
	// Output:
	// 2 true
}
