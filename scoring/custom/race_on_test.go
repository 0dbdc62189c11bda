//go:build race

package custom

// raceDetector tells that pools forget on purpose, so that more is allocated than otherwise.
const raceDetector = true
