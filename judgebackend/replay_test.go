package judgebackend_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/judgebackend/backendtest"
)

func recording(t *testing.T, as ...judgebackend.Assessment) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "recorded#1.jsonl")
	var lines []byte
	for _, a := range as {
		b, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(append(lines, b...), "\n\n"...)
	}
	if err := os.WriteFile(path, lines, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func answerOf(model, reply string) judgebackend.Assessment {
	id := judgebackend.Identity{Backend: "openai", Model: model}
	return judgebackend.Assessment{Backend: id.Backend, Model: id.Model, Reply: reply, RequestHash: backendtest.Question().Hash(id)}
}

func TestReplay(t *testing.T) {
	path := recording(t, answerOf("a", "of a"), answerOf("b", "of b"))
	if _, err := providers.Open(t.Context(), "replay:"+path, nil); errcode.Of(err) != errcode.InvalidArgument {
		t.Errorf("two judges, and nobody says which: %v", err)
	}
	b := open(t, "replay:"+path+"#openai:b", nil)
	resp, err := b.Complete(t.Context(), backendtest.Question())
	if err != nil || resp.Reply != "of b" {
		t.Errorf("%q, %v", resp.Reply, err)
	}
	if id := b.(judgebackend.Identified).Identity(); id != (judgebackend.Identity{Backend: "openai", Model: "b"}) {
		t.Errorf("%+v: a replay is the judge it recorded, so that scores carry its name", id)
	}
	if _, err := providers.Open(t.Context(), "replay:"+path+"#openai:c", nil); errcode.Of(err) != errcode.NotFound {
		t.Errorf("a judge that was not recorded: %v", err)
	}

	missed := backendtest.Question()
	missed.Messages[1].Content = "something else " + backendtest.Canary
	_, err = b.Complete(t.Context(), missed)
	hash := missed.Hash(judgebackend.Identity{Backend: "openai", Model: "b"})
	if errcode.Of(err) != errcode.NotFound || !strings.Contains(err.Error(), hash) || strings.Contains(err.Error(), backendtest.Canary) {
		t.Errorf("a miss must name the hash and not the prompt: %v", err)
	}
}

// A reply that was cut when it was recorded is cut when it is replayed.
func TestReplayKeepsEndings(t *testing.T) {
	a := answerOf("a", "half")
	a.FinishReason = judgebackend.FinishLength
	a.ID = a.ContentHash()
	resp, err := open(t, "replay:"+recording(t, a), nil).Complete(t.Context(), backendtest.Question())
	if judgebackend.KindOf(err) != judgebackend.KindLength || resp.Reply != "half" {
		t.Errorf("%q, %v", resp.Reply, err)
	}
}

func TestReplayRefusesDamage(t *testing.T) {
	damaged := answerOf("a", "said yes")
	damaged.ID = damaged.ContentHash()
	damaged.Reply = "said no"
	for why, a := range map[string]judgebackend.Assessment{
		"a reply that is not the one recorded": damaged,
		"no request":                           {Backend: "openai", Model: "a"},
		"no backend":                           {RequestHash: "x"},
	} {
		if _, err := providers.Open(t.Context(), "replay:"+recording(t, a), nil); errcode.Of(err) != errcode.DataLoss || !strings.Contains(err.Error(), "line 1") {
			t.Errorf("%s: %v, want data_loss naming the line", why, err)
		}
	}
}
