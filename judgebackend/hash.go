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

// Hash returns the ledger's key of r for the judge id: the hexadecimal SHA-256 of purpose, prompt version, messages,
// schema (with its members in any order), temperature, log-probabilities, sample, [Sampling] if any of it is set, model
// and backend. MaxTokens is not included: a complete reply is valid for any limit, and a truncated one is requested
// again if the limit is higher.
func (r Request) Hash(id Identity) string {
	h := newDigest()
	h.text("judge request 1", id.Backend, id.Model, r.Purpose, r.PromptVersion)
	h.number(uint64(len(r.Messages)))
	for _, m := range r.Messages {
		h.text(string(m.Role), m.Content)
	}
	h.text(r.canonicalSchema())
	h.number(math.Float64bits(r.Temperature+0), uint64(r.TopLogProbs), uint64(r.Sample)) // +0 turns -0 into 0
	// only if set, so that requests without them keep their hashes
	if !r.Sampling.isZero() {
		h.text("sampling 1", r.ReasoningEffort, string(canonicalJSON(r.Body)))
		h.pointer(r.TopP != nil, func() uint64 { return math.Float64bits(*r.TopP) })
		h.pointer(r.Seed != nil, func() uint64 { return uint64(*r.Seed) }) //nolint:gosec // as bits
	}
	return h.hex()
}

// pointer hashes whether a value is set, and the value.
func (d digest) pointer(isSet bool, value func() uint64) {
	if !isSet {
		d.number(0)
		return
	}
	d.number(1, value())
}

func newDigest() digest { return digest{sha256.New()} }

// digest hashes a sequence of strings and numbers so that different sequences have different hash inputs.
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

// canonicalSchema returns the schema in the form that is hashed: with its members sorted and without white space.
func (r Request) canonicalSchema() string {
	if r.Schema == nil {
		return ""
	}
	if s, err := compileSchema(r.Schema); err == nil {
		return s.canonical
	}
	return string(canonicalJSON(r.Schema))
}

// canonicalJSON returns b with members sorted and without white space; numbers keep their text. It returns b
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

// nonceOf returns the word that a reply to r must repeat: a hash of the request, so that the same request always has
// the same word and the ledger still finds it. The author of a part of the request cannot predict the word, because
// that part changes it.
func nonceOf(r Request) string {
	h := digest{sha256.New()}
	h.text("judge nonce 1", r.Hash(Identity{}), r.NonceField)
	return strings.ToLower(base32.StdEncoding.EncodeToString(h.Sum(nil)[:15]))
}
