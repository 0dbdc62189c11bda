package agreement

import (
	"maps"
	"slices"
)

// Fleiss returns Fleiss' kappa of several raters (Fleiss 1971). counts[i][j] is the number of raters who put case i
// in category j; all rows have the same length. If every case has the same number of ratings, it is the published
// formula. Otherwise it follows Gwet (Handbook of Inter-Rater Reliability, 2014): agreement is averaged over the
// cases with at least two ratings, and the share of a category is the mean of its shares in the rated cases.
func Fleiss(counts [][]int) Stat {
	if len(counts) == 0 {
		return undefined(noCases)
	}
	shares := make([]float64, len(counts[0]))
	var agreed, rated, paired float64
	for _, row := range counts {
		n, same := 0, 0
		for _, k := range row {
			n += k
			same += k * (k - 1)
		}
		if n == 0 {
			continue
		}
		rated++
		for j, k := range row {
			shares[j] += float64(k) / float64(n)
		}
		if n > 1 {
			paired++
			agreed += float64(same) / float64(n*(n-1))
		}
	}
	if paired == 0 {
		return undefined("no case has two ratings")
	}
	agreed /= paired
	chance, used := 0.0, 0
	for _, s := range shares {
		if s > 0 {
			used++
		}
		s /= rated
		chance += s * s
	}
	if used < 2 {
		return undefined("all ratings are the same, so that there is no agreement beyond chance to measure")
	}
	return defined((agreed - chance) / (1 - chance))
}

// Level is the level of measurement of ratings, which defines the distance of two ratings.
type Level int

// The levels.
const (
	LevelNominal  Level = iota // 0 if equal, else 1
	LevelOrdinal               // by the number of ratings between them
	LevelInterval              // the square of their difference
	LevelRatio                 // the square of their difference divided by their sum; for ratings from 0
)

// Alpha returns Krippendorff's alpha, at most 1 (Krippendorff, Content Analysis, 2004, chapter 11; Computing
// Krippendorff's Alpha-Reliability, 2011), for any number of raters and with missing ratings. units holds the ratings
// of each case in any order. Cases with fewer than two ratings are omitted. Nominal ratings may be any numbers that
// identify the categories.
func Alpha(units [][]float64, level Level) Stat {
	totals := map[float64]float64{}
	for _, u := range units {
		if len(u) > 1 {
			for _, v := range u {
				totals[v]++
			}
		}
	}
	values := slices.Sorted(maps.Keys(totals))
	switch len(values) {
	case 0:
		return undefined("no case has two ratings")
	case 1:
		return undefined("all ratings are the same, so that there is no agreement beyond chance to measure")
	}
	if level == LevelRatio && values[0] < 0 {
		return undefined("ratings below 0 have no ratio")
	}
	place := map[float64]int{}
	n := 0.0
	counts := make([]float64, len(values)) // number of ratings of each value
	for i, v := range values {
		place[v] = i
		counts[i] = totals[v]
		n += totals[v]
	}
	distance := distances(values, counts, level)
	var observed, expected float64
	for _, u := range units {
		if len(u) < 2 {
			continue
		}
		within := 0.0
		for i, v := range u {
			for _, w := range u[:i] {
				within += distance[place[v]][place[w]]
			}
		}
		observed += 2 * within / float64(len(u)-1)
	}
	for i := range values {
		for j := range i {
			expected += 2 * counts[i] * counts[j] * distance[i][j]
		}
	}
	return defined(1 - (n-1)*observed/expected)
}

// distances returns the squared difference of every two values at a level of measurement. counts holds the number of
// ratings of each value.
func distances(values, counts []float64, level Level) [][]float64 {
	out := make([][]float64, len(values))
	for i := range values {
		out[i] = make([]float64, len(values))
		between := counts[i] / 2
		for j := i + 1; j < len(values); j++ {
			d := 1.0
			switch level {
			case LevelNominal:
			case LevelOrdinal:
				d = between + counts[j]/2
			case LevelInterval:
				d = values[j] - values[i]
			case LevelRatio:
				d = (values[j] - values[i]) / (values[j] + values[i])
			}
			out[i][j] = d * d
			between += counts[j]
		}
	}
	for i := range values {
		for j := range i {
			out[i][j] = out[j][i]
		}
	}
	return out
}

// Ballots converts the votes of several people on each case to the input of [Fleiss] (counts) and [Alpha] (units).
// Missing votes are omitted.
func Ballots(votes [][]Vote) (counts [][]int, units [][]float64) {
	for _, ballot := range votes {
		row := []int{0, 0}
		var unit []float64
		for _, v := range ballot {
			if v != Missing {
				row[v-Fail]++
				unit = append(unit, float64(v-Fail))
			}
		}
		counts, units = append(counts, row), append(units, unit)
	}
	return counts, units
}
