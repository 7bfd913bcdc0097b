// Package driver is the half of the Go drivers that is the same for every client library; see
// runner/driver-session.ts: a request on each line of standard input, an outcome for each on standard output.
package driver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"
)

// Options is what the command line says: the era (legacy or modern), the name that answers questions, the text that
// answers sampling, the root that is shown, then the URL of the server or, after "--", the command of one.
type Options struct {
	Era, Name, Sampled, Root string
	URL                      string
	Command                  []string
}

// Request is one line; Params are written again as they stand there, so that no number changes on the way.
type Request struct {
	Method string
	Params json.RawMessage
	// Progress says that notifications of it are expected.
	Progress bool
}

// AwaitProgress gives the handlers of notifications, which run beside the call, the time to be heard.
func (request Request) AwaitProgress() {
	if request.Progress {
		time.Sleep(300 * time.Millisecond)
	}
}

// Failure is what a server answered with instead of a result.
type Failure struct {
	Code    int64           `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// Outcome is the answer to a Request; Failure text says what no server sent.
type Outcome struct {
	Result   any       `json:"result,omitempty"`
	Error    *Failure  `json:"error,omitempty"`
	Progress []float64 `json:"progress"`
	Failure  string    `json:"failure,omitempty"`
}

// ReadOptions reads the command line.
func ReadOptions() Options {
	arguments := os.Args[1:]
	if len(arguments) < 5 {
		Fail(fmt.Errorf("the arguments are: era name sampled root url, or -- and a command for the url"))
	}
	options := Options{Era: arguments[0], Name: arguments[1], Sampled: arguments[2], Root: arguments[3]}
	if arguments[4] == "--" {
		options.Command = arguments[5:]
	} else {
		options.URL = arguments[4]
	}
	return options
}

// CheckEra ends the program when the connection is not of the era that was asked for.
func (options Options) CheckEra(protocolVersion string) {
	if isModern := protocolVersion >= "2026"; isModern != (options.Era == "modern") {
		Fail(fmt.Errorf("it speaks %s", protocolVersion))
	}
}

// Serve answers every line, until there is none.
func Serve(answer func(context.Context, Request) Outcome) {
	lines := bufio.NewReader(os.Stdin)
	output := json.NewEncoder(os.Stdout)
	output.SetEscapeHTML(false)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var request Request
		if err := json.Unmarshal(line, &request); err != nil {
			Fail(err)
		}
		if err := output.Encode(answer(context.Background(), request)); err != nil {
			Fail(err)
		}
	}
}

// Read fills a value from params; numbers in places without a type stay as they are written.
func Read(params json.RawMessage, value any) {
	decoder := json.NewDecoder(bytes.NewReader(params))
	decoder.UseNumber()
	if err := decoder.Decode(value); err != nil {
		Fail(err)
	}
}

// Fail says why, and ends the program.
func Fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
