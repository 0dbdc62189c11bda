package judgebackend

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
)

// replay is a backend that replies from a file of assessments in JSON Lines, as FileStore writes them. Its identity
// is the recorded one, so that hashes and scores are those of the recording. If a file has several judges, the name
// after # selects one: replay:FILE#openai:gpt-4o.
type replay struct {
	id      Identity
	answers map[string]Assessment
}

func openReplay(_ context.Context, arg string, _ *OpenOptions) (Backend, error) {
	path, who := arg, ""
	if i := strings.LastIndexByte(arg, '#'); i >= 0 && strings.Contains(arg[i:], ":") {
		path, who = arg[:i], arg[i+1:]
	}
	f, err := os.Open(path)
	if err != nil {
		code := errcode.FailedPrecondition
		if errors.Is(err, os.ErrNotExist) {
			code = errcode.NotFound
		}
		return nil, errcode.New(code, "judge replay: %w", err)
	}
	defer f.Close()
	return readReplay(f, who)
}

// readReplay reads the assessments of one judge. who is BACKEND:MODEL, or empty if the file has only one. The last of
// several replies to one request is used.
func readReplay(f io.Reader, who string) (Backend, error) {
	b := &replay{answers: map[string]Assessment{}}
	r := bufio.NewReader(f)
	for n := 1; ; n++ {
		line, err := readLine(r)
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, errcode.New(errcode.DataLoss, "judge replay: line %d cannot be read", n)
		}
		if len(bytes.TrimSpace(line)) > 0 {
			if err := b.add(line, who, n); err != nil {
				return nil, err
			}
		}
		if err != nil {
			break
		}
	}
	if b.id == (Identity{}) {
		return nil, errcode.New(errcode.NotFound, "judge replay: the file has no replies of this judge")
	}
	return b, nil
}

func (b *replay) add(line []byte, who string, n int) error {
	a, err := readAssessment(line)
	if err != nil || a.RequestHash == "" || a.Backend == "" {
		return errcode.New(errcode.DataLoss,
			"judge replay: line %d: expected an assessment with backend, model and request_hash", n)
	}
	if a.ID != "" && a.ID != a.ContentHash() {
		return errcode.New(errcode.DataLoss,
			"judge replay: line %d: the reply does not have the hash it was recorded with", n)
	}
	id := Identity{Backend: a.Backend, Model: a.Model}
	if who != "" && who != id.Backend+":"+id.Model {
		return nil
	}
	if b.id != (Identity{}) && b.id != id {
		return errcode.New(errcode.InvalidArgument,
			"judge replay: line %d: a second judge; choose one, as in replay:FILE#openai:gpt-4o", n)
	}
	b.id = id
	b.answers[a.RequestHash] = a
	return nil
}

func (b *replay) Identity() Identity { return b.id }

func (b *replay) Complete(_ context.Context, r Request) (Response, error) {
	hash := r.Hash(b.id)
	a, ok := b.answers[hash]
	if !ok {
		return Response{}, &Error{Kind: KindReplayMiss, Detail: "request " + hash}
	}
	resp := a.response()
	resp.Cached = false // the ledger sets it, not a recording
	return resp, nil
}
