// A server on the official Go SDK with the tools of server/README.md: over stdio, or over HTTP at the address that its
// argument names.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type call = mcp.CallToolRequest

func main() {
	server := buildServer()
	if len(os.Args) < 2 {
		if err := server.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
			log.Fatal(err)
		}
		return
	}
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil)
	log.Fatal(http.ListenAndServe(os.Args[1], handler))
}

func buildServer() *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: "go-interop", Version: "1.0.0"}, nil)
	add := func(name, schema string, work mcp.ToolHandler) {
		server.AddTool(&mcp.Tool{Name: name, Description: name, InputSchema: json.RawMessage(schema)}, work)
	}
	none := `{"type":"object"}`
	add("echo", `{"type":"object","properties":{"id":{"type":"integer"},"text":{"type":"string"}}}`, echo)
	add("count", `{"type":"object","properties":{"steps":{"type":"integer"}}}`, count)
	add("fail", none, func(context.Context, *call) (*mcp.CallToolResult, error) {
		data := json.RawMessage(`{"vault":1189234567890123457}`)
		return nil, &jsonrpc.Error{Code: -32099, Message: "The vault was not found.", Data: data}
	})
	add("ask", none, ask)
	add("sample", none, sample)
	add("roots", none, roots)
	add("ask_either", none, askEither)
	return server
}

func echo(_ context.Context, request *call) (*mcp.CallToolResult, error) {
	var arguments struct {
		ID   json.Number
		Text string
	}
	if err := json.Unmarshal(request.Params.Arguments, &arguments); err != nil {
		return nil, err
	}
	return text("%s %s", arguments.ID, arguments.Text), nil
}

func count(ctx context.Context, request *call) (*mcp.CallToolResult, error) {
	var arguments struct{ Steps int }
	if err := json.Unmarshal(request.Params.Arguments, &arguments); err != nil {
		return nil, err
	}
	for step := 1; step <= arguments.Steps; step++ {
		progress := &mcp.ProgressNotificationParams{
			ProgressToken: request.Params.GetProgressToken(), Progress: float64(step), Total: float64(arguments.Steps),
		}
		if err := request.Session.NotifyProgress(ctx, progress); err != nil {
			return nil, err
		}
		time.Sleep(30 * time.Millisecond)
	}
	return text("Counted to %d.", arguments.Steps), nil
}

var question = &mcp.ElicitParams{
	Message: "Who are you?",
	RequestedSchema: json.RawMessage(
		`{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`),
}

func ask(ctx context.Context, request *call) (*mcp.CallToolResult, error) {
	answer, err := request.Session.Elicit(ctx, question)
	if err != nil {
		return nil, err
	}
	return text("Hello %s.", answer.Content["name"]), nil
}

func sample(ctx context.Context, request *call) (*mcp.CallToolResult, error) {
	message := &mcp.SamplingMessage{Role: "user", Content: &mcp.TextContent{Text: "Who?"}}
	params := &mcp.CreateMessageParams{Messages: []*mcp.SamplingMessage{message}, MaxTokens: 10}
	answer, err := request.Session.CreateMessage(ctx, params)
	if err != nil {
		return nil, err
	}
	return text("%s", answer.Content.(*mcp.TextContent).Text), nil
}

func roots(ctx context.Context, request *call) (*mcp.CallToolResult, error) {
	// Without params, as the SDK's own users write it.
	answer, err := request.Session.ListRoots(ctx, nil)
	if err != nil {
		return nil, err
	}
	return text("%s", answer.Roots[0].URI), nil
}

func askEither(_ context.Context, request *call) (*mcp.CallToolResult, error) {
	if answer, isAnswered := request.Params.InputResponses["who"].(*mcp.ElicitResult); isAnswered {
		return text("Hello %s.", answer.Content["name"]), nil
	}
	return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"who": question}}, nil
}

func text(format string, values ...any) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: fmt.Sprintf(format, values...)}}}
}
