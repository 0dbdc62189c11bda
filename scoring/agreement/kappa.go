package agreement

// Cohen returns Cohen's kappa of two raters for any number of categories (Cohen 1960). table[i][j] is the number of
// cases that the first rater puts in category i and the second in j. The table is square. It is undefined if all
// ratings are in one category.
func Cohen(table [][]int) Stat {
	k := len(table)
	rows, cols := make([]float64, k), make([]float64, k)
	var n, same float64
	for i, row := range table {
		for j, count := range row[:k] {
			v := float64(count)
			rows[i] += v
			cols[j] += v
			n += v
			if i == j {
				same += v
			}
		}
	}
	if n == 0 {
		return undefined(noCases)
	}
	var chance float64 // times n²
	for i := range k {
		chance += rows[i] * cols[i]
	}
	if chance == n*n {
		return undefined(noVariation)
	}
	return defined((same*n - chance) / (n*n - chance))
}

// LandisKoch returns the name of the strength of an agreement (Landis and Koch 1977): poor below 0, slight to 0.20,
// fair to 0.40, moderate to 0.60, substantial to 0.80, almost perfect above.
func LandisKoch(kappa float64) string {
	switch {
	case kappa < 0:
		return "poor"
	case kappa <= 0.20:
		return "slight"
	case kappa <= 0.40:
		return "fair"
	case kappa <= 0.60:
		return "moderate"
	case kappa <= 0.80:
		return "substantial"
	}
	return "almost perfect"
}
