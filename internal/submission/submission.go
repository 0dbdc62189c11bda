// Package submission runs evaluations that people submit over the web. A [Desk] stores an uploaded case file or a
// selection of the tables' answers, describes what was understood, and runs submissions one at a time.
//
// A submission is a directory with the case file and a JSON file with its state, so that it survives a restart. The
// case file is deleted when the run ends. What evaluates is given as [Work]: the package knows no judges and no engine.
package submission

import (
	"context"
	"regexp"
	"time"

	"github.com/badger-eval/badger/internal/batch"
	"github.com/badger-eval/badger/internal/cases"
	"github.com/badger-eval/badger/internal/errcode"
)

// Config is the section submit of the configuration. Zero values have the defaults that the comments name.
type Config struct {
	Dir         string `yaml:"dir"`                    // directory of uploaded files; default: one for the user and the database
	UploadBytes int64  `yaml:"upload_bytes" least:"0"` // limit of an uploaded file in bytes as sent; default 64 MiB
	CaseBytes   int64  `yaml:"case_bytes" least:"0"`   // limit of the decompressed file; default 256 MiB
	Waiting     int    `yaml:"waiting" least:"0"`      // maximum number of submissions that wait for their run; default 8
}

// WithDefaults returns c with the default limits. A negative limit is a usage error.
func (c Config) WithDefaults() (Config, error) {
	if c.UploadBytes < 0 || c.CaseBytes < 0 || c.Waiting < 0 {
		return c, errcode.Usage("submit: expected limits of at least 0, and 0 for the default")
	}
	if c.UploadBytes == 0 {
		c.UploadBytes = 64 << 20
	}
	if c.CaseBytes == 0 {
		c.CaseBytes = 256 << 20
	}
	if c.Waiting == 0 {
		c.Waiting = 8
	}
	return c, nil
}

// Status is the state of a submission.
type Status string

// The states.
const (
	Draft       Status = "draft"       // examined, and not started
	Waiting     Status = "waiting"     // waits until other runs end
	Running     Status = "running"     //
	Done        Status = "done"        // all scores are stored
	Cancelled   Status = "cancelled"   // ended by a person
	Failed      Status = "failed"      // ended by an error
	Interrupted Status = "interrupted" // the server stopped; the run can be resumed

	uploading Status = "uploading" // reserved, and not visible yet
)

// Over reports whether nothing more happens to a submission.
func (s Status) Over() bool { return s == Done || s == Cancelled || s == Failed }

// Tables selects answers in the tables of the database. Empty fields select all.
type Tables struct {
	Agent, Version, Batch string
	SetVersion            string // version of the golden set; "": the highest of each question
}

// Choice holds the choices of a person before the run starts.
type Choice struct {
	Metrics []string // names; empty: the default metrics
	Judge   bool     // whether the configured judges may be called
	Budget  string   // limit of the judge calls, such as 200k or 5.00USD; "": the configured one
}

// Submission is one submitted run.
type Submission struct {
	ID         string
	By         string // name of the caller; "" if callers have none
	Admin      bool   // the caller has the role admin
	Name       string // of the uploaded file, as the browser sent it, for display only; "": the tables
	Bytes      int64  // of the case file
	Tables     *Tables
	Choice     Choice
	Status     Status
	Stopping   bool   // a running one that is being cancelled
	Run        string // ID of the run; "" before the start
	Why        string // why it failed or was interrupted
	Created    time.Time
	Started    time.Time
	Ended      time.Time
	Understood *cases.Examined
	Estimate   *Estimate
	Progress   batch.Progress

	Path string `json:"-"` // of the case file; "" for the tables
}

// Estimate is the estimated number and cost of the judge calls of a run. Stored replies are not counted.
type Estimate struct {
	Examined  int64  // answers that the estimate was computed from
	Answers   int64  // answers of the run
	Calls     int64  // judge calls
	TokensIn  int64  // about; a token for each four bytes
	TokensOut int64  // at most
	Money     string // the price of these tokens; "": no price is known
	Why       string // why the estimate is missing; else ""
}

// Metric is a metric that can be chosen.
type Metric struct {
	Name, Display, Group, Summary string
	Judged                        bool // calls a judge
	Default                       bool // computed if no metric is chosen
}

// Offer lists the possible choices.
type Offer struct {
	Metrics []Metric
	Judges  []string // names of the configured judges
	Budget  string   // the configured limit; "" if there is none
}

// Work evaluates submissions. Its methods may be called concurrently, Evaluate only by one goroutine at a time.
type Work interface {
	// Offer returns what can be chosen.
	Offer() Offer
	// Check returns an InvalidArgument error if a choice cannot be run.
	Check(c Choice) error
	// Cases returns the cases of a submission.
	Cases(ctx context.Context, s *Submission) (batch.Source, error)
	// Estimate estimates the judge calls of a submission, without making any.
	Estimate(ctx context.Context, s *Submission) (*Estimate, error)
	// Evaluate runs a submission under the ID s.Run, or resumes that run if it exists. When stop is closed it ends early,
	// and the error is Cancelled.
	Evaluate(ctx context.Context, s *Submission, stop <-chan struct{}, progress func(batch.Progress)) error
}

var idPattern = regexp.MustCompile(`^[a-z0-9]{16,40}$`)

// checkID returns an InvalidArgument error unless id is 16 to 40 small letters and digits, as forms have them. It is
// the name of a directory.
func checkID(id string) error {
	if !idPattern.MatchString(id) {
		return errcode.New(errcode.InvalidArgument,
			"id: invalid identifier %.50q of a submission; reload the page and send the form again", id)
	}
	return nil
}
