package scoring

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
)

// columnKeys maps names of columns of golden_set and agent_runs, and of arguments of SQL functions, to the keys of a
// case file. It omits the columns whose names are the key with underscores for points, such as gold_sql for gold.sql.
var columnKeys = map[string]string{
	"database_name": "database", "metric_options": "options", "sql_error": "agent.error", "sql": "agent.sql",
	"result": "agent.result", "latency_ms": "agent.latency_ms",
	"chart": "agent.chart", "contexts": "agent.contexts", "interpretation": "agent.interpretation",
	"response":        "agent.response",
	"tool_calls":      "agent.tool_calls",
	"batch_id":        "agent.batch_id",
	"conversation_id": "agent.conversation_id", "turn": "agent.turn", "ran_at": "agent.ran_at",
	"earlier_turns": "agent.earlier_turns", "tokens_in": "agent.tokens_in", "tokens_out": "agent.tokens_out",
	"cost_usd": "agent.cost_usd",
}

// alternativesKey is the name of the column of golden_set with further accepted answers. Case files have a list in
// gold instead.
const alternativesKey = "alternatives"

// caseKeys maps the path of an object in a case to the keys in it. caseAliases maps other names of a key to the key:
// column names, the path with points or underscores, and the spelling behavior. All are in lower case, since
// encoding/json ignores letter case.
var caseKeys, caseAliases = func() (map[string][]string, map[string]CaseKey) {
	keys, aliases := map[string][]string{}, map[string]CaseKey{}
	byName := map[string]CaseKey{}
	for _, k := range CaseKeys() {
		byName[k.Name] = k
		in, name := "", k.Name
		if i := strings.LastIndexByte(k.Name, '.'); i >= 0 {
			in, name = k.Name[:i], k.Name[i+1:]
			aliases[k.Name], aliases[strings.ReplaceAll(k.Name, ".", "_")] = k, k
		}
		keys[in] = append(keys[in], name)
	}
	for column, key := range columnKeys {
		aliases[column] = byName[key]
	}
	for name, key := range aliases {
		if american := strings.ReplaceAll(name, "behaviour", "behavior"); american != name {
			aliases[american] = key
		}
	}
	return keys, aliases
}()

// renamed returns the JSON of a case with aliases of keys replaced by the keys: at the top level, and
// expected.behavior. For a key whose value is not a string, a string that contains JSON, as columns hold it, is
// replaced by that JSON. A member that is present under two names is an error.
func renamed(data []byte) ([]byte, error) {
	top, err := membersOf(data)
	if err != nil {
		return nil, err
	}
	objects := map[string]map[string]json.RawMessage{"": top}
	object := func(name string) (map[string]json.RawMessage, error) {
		if objects[name] == nil {
			raw := bytes.TrimSpace(top[name])
			if len(raw) > 0 && raw[0] == '[' {
				return nil, errcode.New(errcode.InvalidArgument,
					"%q is a list, so a member for its elements is ambiguous next to it; move the member into an element", name)
			}
			if objects[name], err = membersOf(raw); err != nil {
				return nil, err
			}
		}
		return objects[name], nil
	}
	more := json.RawMessage(nil)
	for _, name := range slices.Sorted(maps.Keys(top)) {
		if name == alternativesKey {
			more = unwrapped(top[name])
			delete(top, name)
			continue
		}
		key, ok := aliasIn("", name)
		if !ok {
			continue
		}
		value := top[name]
		delete(top, name)
		if key.Type != "text" && key.Type != "text or number" && !strings.HasSuffix(key.Name, ".result") {
			value = unwrapped(value)
		}
		if len(value) == 0 || string(value) == "null" {
			continue
		}
		in, last, nested := strings.Cut(key.Name, ".")
		if !nested {
			in, last = "", key.Name
		}
		into, err := object(in)
		if err != nil {
			return nil, err
		}
		if given, there := into[last]; there && string(given) != "null" {
			return nil, errcode.New(errcode.InvalidArgument, "%.80q and %q are both there, and mean the same; keep one", name,
				key.Name)
		}
		into[last] = value
	}
	if raw, ok := top["expected"]; ok && raw[0] == '{' {
		expected, err := object("expected")
		if err != nil {
			return nil, err
		}
		if value, there := expected["behavior"]; there {
			if _, both := expected["behaviour"]; both {
				return nil, errcode.New(errcode.InvalidArgument,
					`"expected.behavior" and "expected.behaviour" are both there, and mean the same; keep one`)
			}
			delete(expected, "behavior")
			expected["behaviour"] = value
		}
	}
	for name, members := range objects {
		if name != "" {
			if top[name], err = json.Marshal(members); err != nil {
				return nil, err
			}
		}
	}
	if more = bytes.TrimSpace(more); len(more) > 0 && string(more) != "null" {
		if more[0] != '[' {
			return nil, errcode.New(errcode.InvalidArgument,
				`alternatives: expected a list of {"sql", "result", "error", "latency_ms"}`)
		}
		all := []json.RawMessage{}
		if gold := bytes.TrimSpace(top["gold"]); len(gold) > 0 && gold[0] == '[' {
			if err := json.Unmarshal(gold, &all); err != nil {
				return nil, err
			}
		} else if len(gold) > 0 && string(gold) != "null" {
			all = append(all, gold)
		}
		var others []json.RawMessage
		if err := json.Unmarshal(more, &others); err != nil {
			return nil, err
		}
		if top["gold"], err = json.Marshal(append(all, others...)); err != nil {
			return nil, err
		}
	}
	return json.Marshal(top)
}

// membersOf returns the members of a JSON object by their names in lower case. Empty input has no members.
func membersOf(raw []byte) (map[string]json.RawMessage, error) {
	var members map[string]json.RawMessage
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &members); err != nil {
			return nil, err
		}
	}
	out := make(map[string]json.RawMessage, len(members))
	for name, value := range members {
		out[strings.ToLower(name)] = value
	}
	return out, nil
}

// unwrapped returns the JSON text that a JSON string contains, nil for a blank string, and any other value unchanged.
func unwrapped(raw json.RawMessage) json.RawMessage {
	var text string
	if len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &text) != nil {
		return raw
	}
	if strings.TrimSpace(text) == "" {
		return nil
	}
	if json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	return raw
}

// aliasIn returns the key that name means if it is an alias in the object at path; ok is false if it is not. For
// alternatives it returns an empty key and true.
func aliasIn(path, name string) (CaseKey, bool) {
	switch {
	case path == "" && !slices.Contains(caseKeys[""], name):
		key, ok := caseAliases[name]
		return key, ok || name == alternativesKey
	case path == "expected" && name == "behavior":
		return caseAliases["expected.behaviour"], true
	}
	return CaseKey{}, false
}

// knownIn reports whether name is a key of the object at path of a case.
func knownIn(path, name string) bool {
	if path == alternativesKey {
		path = "gold"
	}
	return slices.Contains(caseKeys[path], name)
}

// foreignKeys maps key names that are common in other data sets to ours. They are only suggested in messages: they
// are not read, since other files use the same names for other values.
var foreignKeys = map[string]string{
	"id": "case_id", "question_id": "case_id", "qid": "case_id", "instance_id": "case_id", "uid": "case_id",
	"prompt": "question", "nl": "question", "utterance": "question", "hint": "evidence",
	"external_knowledge": "evidence", "db": "database", "db_id": "database", "db_name": "database", "schema": "schema_ddl",
	"ddl": "schema_ddl", "engine": "dialect", "difficulty": "tags",
	"query": "gold.sql", "gold_query": "gold.sql", "reference": "gold.sql", "reference_sql": "gold.sql",
	"expected_sql": "gold.sql", "target": "gold.sql", "ground_truth": "gold.sql",
	"expected_result": "gold.result", "reference_result": "gold.result", "prediction": "agent.sql", "pred": "agent.sql",
	"pred_sql": "agent.sql", "predicted_sql": "agent.sql", "generated_sql": "agent.sql",
	"predicted_query": "agent.sql", "pred_result": "agent.result", "predicted_result": "agent.result",
	"chart_spec": "agent.chart", "visualization": "agent.chart", "answer": "agent.response",
	"label":     "human.label",
	"gold.name": "agent.name", "gold.version": "agent.version", "gold.tool_calls": "agent.tool_calls",
	"gold.latency": "agent.latency_ms", "gold.response": "agent.response",
	"gold.query": "gold.sql", "agent.query": "agent.sql", "gold.rows": "gold.result", "agent.rows": "agent.result",
	"gold.answer": "gold.result", "agent.answer": "agent.response",
}

// SuggestKey returns the end of a message about an unknown key of a case: "; did you mean " with the most similar
// key, or "" if none is similar.
func SuggestKey(name string) string {
	if key, ok := foreignKeys[name]; ok {
		return "; did you mean " + key + "?"
	}
	names := make([]string, 0, len(caseAliases))
	for _, k := range CaseKeys() {
		names = append(names, k.Name)
	}
	if near := nearest(name, names); len(near) > 0 {
		return "; did you mean " + near[0] + "?"
	}
	if near := nearest(name, slices.Sorted(maps.Keys(caseAliases))); len(near) > 0 {
		return "; did you mean " + near[0] + "?"
	}
	return ""
}
