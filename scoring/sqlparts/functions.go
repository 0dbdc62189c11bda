package sqlparts

import "strings"

// IsAggregate reports whether a function of this name, in any case, aggregates rows when it is called
// without OVER.
func IsAggregate(name string) bool {
	var buf [32]byte
	if len(name) > len(buf) {
		return false
	}
	for i := range len(name) {
		c := name[i]
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		buf[i] = c
	}
	return aggregateNames[string(buf[:len(name)])]
}

var aggregateNames = func() map[string]bool {
	m := map[string]bool{}
	for _, n := range strings.Fields(`any_value approx_count_distinct approx_distinct approx_percentile approx_quantile approx_quantiles
		approx_top_count approx_top_k approx_top_sum array_agg array_concat_agg array_union_agg array_unique_agg avg bit_and
		bit_or bit_xor bitand_agg bitor_agg bitxor_agg bool_and bool_or booland_agg boolor_agg checksum_agg collect_list
		collect_set corr count count_big count_if countif covar_pop covar_samp every first group_concat grouping
		grouping_id hash_agg hll hll_count json_agg json_arrayagg json_group_array json_group_object json_object_agg
		json_objectagg jsonb_agg jsonb_object_agg kurtosis last list listagg logical_and logical_or max max_by maxby mean
		median min min_by minby mode object_agg percentile percentile_approx percentile_cont percentile_disc product
		quantile quantile_cont quantile_disc regr_avgx regr_avgy regr_count regr_intercept regr_r2 regr_slope regr_sxx
		regr_sxy regr_syy skew skewness some std stddev stddev_pop stddev_samp stdev stdevp string_agg sum sum_distinct
		total try_avg try_sum var var_pop var_samp variance varp xmlagg arg_max arg_min argmax argmin
		agg measure`) {
		m[n] = true
	}
	return m
}()

// aggregates reports whether an expression contains an aggregate or a window function, subqueries
// excepted.
func aggregates(e Expr) bool {
	found := false
	Walk(e, func(n Node) bool {
		switch n := n.(type) {
		case *Query:
			return false
		case *Call:
			found = found || n.Over != nil || n.Filter != nil || len(n.Within) > 0 ||
				len(n.Name) == 1 && IsAggregate(n.Name[0].Text)
		}
		return !found
	})
	return found
}

// datePart reports whether a bare word among the arguments of a date function is a date part and not a column.
func datePart(word string) bool {
	if timeUnit(word) {
		return true
	}
	switch strings.ToLower(word) {
	case "dayofweek", "dayofyear", "dow", "doy", "isoyear", "isodow", "epoch", "epoch_second", "epoch_millisecond",
		"week_iso",
		"weekday", "weekiso", "dayofweekiso", "day_of_week", "day_of_year", "millennium":
		return true
	}
	return false
}

// dateFunction reports whether a function of the name accepts a date part such as DAY as a bare word.
func dateFunction(name string) bool {
	name = strings.ToLower(name)
	for _, suffix := range []string{"trunc", "diff", "add", "_sub", "part", "bucket", "name", "last_day", "_slice"} {
		if strings.HasSuffix(name, suffix) && !strings.HasSuffix(name, "from_part") {
			return true
		}
	}
	return name == "extract" || name == "date_range" || name == "generate_date_array" || name == "generate_timestamp_array"
}

// IsDatePart reports whether a bare word among several arguments of the function is a date part such as DAY and not a
// column.
func IsDatePart(function, word string) bool { return dateFunction(function) && datePart(word) }
