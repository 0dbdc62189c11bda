package judgebackend

import (
	"bytes"
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"hash"
	"io"
	"math"
	"strings"
)

// Hash is the content hash of r asked of id: SHA-256, in hexadecimal, over purpose, prompt version,
// messages, schema (its members in any order), temperature, log-probabilities, sample, model and
// backend. It is the ledger's key. MaxTokens is not part of it, since a complete answer is complete
// under any bound; an answer that was cut is examined again when more is allowed.
func (r Request) Hash(id Identity) string {
	h := digest{sha256.New()}
	h.text("judge request 1", id.Backend, id.Model, r.Purpose, r.PromptVersion)
	h.number(uint64(len(r.Messages)))
	for _, m := range r.Messages {
		h.text(string(m.Role), m.Content)
	}
	h.text(r.canonicalSchema())
	h.number(math.Float64bits(r.Temperature+0), uint64(r.TopLogProbs), uint64(r.Sample)) // +0 turns -0 into 0
	return h.hex()
}

// digest hashes a sequence of strings and numbers so that no two sequences have the same input.
type digest struct{ hash.Hash }

func (d digest) text(ss ...string) {
	for _, s := range ss {
		d.number(uint64(len(s)))
		_, _ = io.WriteString(d, s)
	}
}

func (d digest) number(ns ...uint64) {
	for _, n := range ns {
		_, _ = d.Write(binary.BigEndian.AppendUint64(nil, n))
	}
}

func (d digest) hex() string { return hex.EncodeToString(d.Sum(nil)) }

// canonicalSchema is the schema in the form that is hashed; or unchanged, if it is not a schema.
func (r Request) canonicalSchema() string {
	if r.Schema == nil {
		return ""
	}
	if s, err := compileSchema(r.Schema); err == nil {
		return s.canonical
	}
	return string(canonicalJSON(r.Schema))
}

// canonicalJSON returns b with members sorted and without white space, and with numbers as written. It returns b
// unchanged if it is not JSON.
func canonicalJSON(b []byte) []byte {
	if len(b) == 0 {
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return b
	}
	out, err := json.Marshal(v) // sorts the keys of maps
	if err != nil {
		return b
	}
	return out
}

// nonceOf returns the word that a reply to r must repeat. It is derived from the whole request, so that the same
// request always has the same word and the ledger still finds it. To forge the word, the author of a part of the
// request would have to find a string that contains its own hash.
func nonceOf(r Request) string {
	h := digest{sha256.New()}
	h.text("judge nonce 1", r.Hash(Identity{}), r.NonceField)
	return strings.ToLower(base32.StdEncoding.EncodeToString(h.Sum(nil)[:15]))
}
