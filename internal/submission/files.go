package submission

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/badger-eval/badger/internal/errcode"
)

// Names of the files in the directory of a submission. The case file's name is part of the places in reasons of scores.
const (
	stateFile = "submission.json"
	caseFile  = "cases.jsonl"
	lockFile  = "lock"
)

func (d *Desk) dir(s *Submission) string { return filepath.Join(d.o.Dir, s.ID) }

func (d *Desk) makeDir(s *Submission) error {
	if err := os.Mkdir(d.dir(s), 0o700); err != nil {
		return errcode.New(errcode.OfFile(err), "the directory of the submission cannot be created: %w", bare(err))
	}
	if s.Tables == nil {
		s.Path = filepath.Join(d.dir(s), caseFile)
	}
	return nil
}

// bare returns the cause of an error of the file system without its path, which pages must not show.
func bare(err error) error {
	if e := (*os.PathError)(nil); errors.As(err, &e) {
		return e.Err
	}
	return err
}

// load reads the submissions in the directory. Directories without a readable state, which a killed upload leaves
// behind, are deleted.
func (d *Desk) load() (map[string]*Submission, error) {
	entries, err := os.ReadDir(d.o.Dir)
	if err != nil {
		return nil, errcode.New(errcode.OfFile(err), "submit.dir: %w", err)
	}
	all := map[string]*Submission{}
	for _, e := range entries {
		if !e.IsDir() || checkID(e.Name()) != nil {
			continue
		}
		s := &Submission{}
		text, err := os.ReadFile(filepath.Join(d.o.Dir, e.Name(), stateFile))
		if err == nil {
			err = json.Unmarshal(text, s)
		}
		if err != nil || s.ID != e.Name() || s.Understood == nil {
			d.o.Log.Warn("an incomplete submission is deleted", slog.String("id", e.Name()))
			d.remove(&Submission{ID: e.Name()})
			continue
		}
		if s.Tables == nil {
			s.Path = filepath.Join(d.dir(s), caseFile)
		}
		switch s.Status {
		case Running:
			s.Status, s.Why = Interrupted, "the server ended during the run"
		case Waiting:
			s.Status, s.Why = Interrupted, "the server ended before the run started"
		}
		s.Stopping = false
		all[s.ID] = s
	}
	return all, nil
}

// save writes the state of a submission, so that a crash leaves either the old state or the new one.
func (d *Desk) save(s *Submission) error {
	text, err := json.MarshalIndent(s, "", "\t")
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(d.dir(s), "."+stateFile+".*") // with mode 0600
	if err != nil {
		return errcode.New(errcode.OfFile(err), "the state of the submission: %w", bare(err))
	}
	defer os.Remove(f.Name()) //nolint:errcheck // gone once it is renamed
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), filepath.Join(d.dir(s), stateFile))
	}
	if err != nil {
		return errcode.New(errcode.OfFile(err), "the state of the submission: %w", bare(err))
	}
	return nil
}

// remove deletes all files of a submission.
func (d *Desk) remove(s *Submission) {
	if err := os.RemoveAll(d.dir(s)); err != nil {
		d.o.Log.Error("a submission is not deleted", slog.String("error", err.Error()))
	}
}

// removeCases deletes the case file of a submission.
func (d *Desk) removeCases(s *Submission) {
	if s.Path == "" {
		return
	}
	if err := os.Remove(s.Path); err != nil && !errors.Is(err, os.ErrNotExist) {
		d.o.Log.Error("an uploaded file is not deleted", slog.String("error", err.Error()))
	}
}

// store writes an uploaded file, decompressed, and returns its size. Both sizes are counted while the file is read, so
// that no more than the limits is read or written.
func (d *Desk) store(s *Submission, upload io.Reader) (size int64, err error) {
	sent := &counted{in: upload, left: d.o.UploadBytes, over: errcode.New(errcode.ResourceExhausted,
		"the file is larger than %d bytes; split it, or use badger run (submit.upload_bytes)", d.o.UploadBytes)}
	in := bufio.NewReader(sent)
	text := &counted{in: in, left: d.o.CaseBytes, over: errcode.New(errcode.ResourceExhausted,
		"the decompressed file is larger than %d bytes; split it, or use badger run (submit.case_bytes)", d.o.CaseBytes)}
	if magic, _ := in.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(in)
		if err != nil {
			return 0, unzipped(err)
		}
		text.in, text.wrap = z, unzipped
	}
	f, err := os.OpenFile(s.Path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return 0, errcode.New(errcode.OfFile(err), "the uploaded file: %w", bare(err))
	}
	size, err = io.Copy(f, text)
	err = errors.Join(err, f.Close())
	if err != nil && errcode.Of(err) == errcode.Unknown {
		err = errcode.New(errcode.Unavailable, "the uploaded file is not stored completely: %w; send it again", bare(err))
	}
	return size, err
}

func unzipped(err error) error {
	if errcode.Of(err) != errcode.Unknown {
		return err
	}
	return errcode.New(errcode.InvalidArgument, "the file is not valid gzip data: %w; compress it again", err)
}

// counted is a reader that returns the error over instead of more than left bytes.
type counted struct {
	in   io.Reader
	left int64
	over error
	wrap func(error) error // converts errors of in; nil: not converted
}

func (c *counted) Read(p []byte) (int, error) {
	if int64(len(p)) > c.left+1 {
		p = p[:c.left+1]
	}
	n, err := c.in.Read(p)
	if c.left -= int64(n); c.left < 0 {
		return 0, c.over
	}
	if err != nil && !errors.Is(err, io.EOF) && c.wrap != nil {
		err = c.wrap(err)
	}
	return n, err
}

// displayName returns the name of an uploaded file for display: its last element, without characters that are
// invisible, and at most 80 of them.
func displayName(name string) string {
	name = path.Base(strings.ReplaceAll(name, `\`, "/"))
	name = strings.TrimSpace(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) || r == unicode.ReplacementChar {
			return -1
		}
		return r
	}, name))
	if name == "" || name == "." || name == "/" {
		return "cases"
	}
	if r := []rune(name); len(r) > 80 {
		name = string(r[:79]) + "…"
	}
	return name
}
