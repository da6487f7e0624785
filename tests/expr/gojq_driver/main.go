// Answers programs of jq with gojq, as the consumers of a definition evaluate them: one JSON object a line in,
// {"p": program, "d": document}, one a line out, {"r": results, "e": error or null}.
package main

import (
	"bufio"
	"encoding/json"
	"os"

	"github.com/itchyny/gojq"
)

type question struct {
	Program  string `json:"p"`
	Document any    `json:"d"`
}

type answer struct {
	Results []json.RawMessage `json:"r"`
	Error   *string           `json:"e"`
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(make([]byte, 1<<16), 1<<26)
	out := bufio.NewWriter(os.Stdout)
	for lines.Scan() {
		var q question
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			panic(err)
		}
		text, err := json.Marshal(respond(q))
		if err != nil {
			panic(err)
		}
		_, _ = out.Write(append(text, '\n'))
		_ = out.Flush()
	}
}

func respond(q question) answer {
	a := answer{Results: []json.RawMessage{}}
	fail := func(err error) answer {
		text := err.Error()
		a.Error = &text
		return a
	}
	query, err := gojq.Parse(q.Program)
	if err != nil {
		return fail(err)
	}
	code, err := gojq.Compile(query)
	if err != nil {
		return fail(err)
	}
	results := code.Run(q.Document)
	for {
		value, ok := results.Next()
		if !ok {
			return a
		}
		if err, failed := value.(error); failed {
			return fail(err)
		}
		text, err := gojq.Marshal(value)
		if err != nil {
			return fail(err)
		}
		a.Results = append(a.Results, text)
	}
}
