//go:build !race

package custom

const raceDetector = false
