// Drives the client of the official Go SDK; see the package driver.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"os/exec"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"herma.dev/interop/driver"
)

func main() {
	options := driver.ReadOptions()
	heard := &progress{}
	client := mcp.NewClient(&mcp.Implementation{Name: "interop", Version: "1.0.0"}, &mcp.ClientOptions{
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"name": options.Name}}, nil
		},
		CreateMessageHandler: func(context.Context, *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
			content := &mcp.TextContent{Text: options.Sampled}
			return &mcp.CreateMessageResult{Role: "assistant", Model: "interop", Content: content}, nil
		},
		ProgressNotificationHandler: func(_ context.Context, request *mcp.ProgressNotificationClientRequest) {
			heard.add(request.Params.Progress)
		},
	})
	client.AddRoots(&mcp.Root{URI: options.Root, Name: "interop"})
	session, err := client.Connect(context.Background(), transportOf(options), versionOf(options))
	if err != nil {
		driver.Fail(err)
	}
	options.CheckEra(session.InitializeResult().ProtocolVersion)
	driver.Serve(func(ctx context.Context, request driver.Request) driver.Outcome {
		heard.take()
		result, err := send(ctx, session, request)
		if err != nil {
			return describe(err)
		}
		request.AwaitProgress()
		return driver.Outcome{Result: result, Progress: heard.take()}
	})
	session.Close()
}

func transportOf(options driver.Options) mcp.Transport {
	if options.URL != "" {
		return &mcp.StreamableClientTransport{Endpoint: options.URL}
	}
	return &mcp.CommandTransport{Command: exec.Command(options.Command[0], options.Command[1:]...)}
}

func versionOf(options driver.Options) *mcp.ClientSessionOptions {
	if options.Era == "legacy" {
		return &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"}
	}
	return nil
}

func send(ctx context.Context, session *mcp.ClientSession, request driver.Request) (any, error) {
	switch request.Method {
	case "tools/list":
		return session.ListTools(ctx, &mcp.ListToolsParams{})
	case "tools/call":
		params := &mcp.CallToolParams{}
		driver.Read(request.Params, params)
		params.SetProgressToken("interop")
		return session.CallTool(ctx, params)
	case "resources/read":
		params := &mcp.ReadResourceParams{}
		driver.Read(request.Params, params)
		return session.ReadResource(ctx, params)
	case "prompts/get":
		params := &mcp.GetPromptParams{}
		driver.Read(request.Params, params)
		return session.GetPrompt(ctx, params)
	default:
		params := &mcp.CompleteParams{}
		driver.Read(request.Params, params)
		return session.Complete(ctx, params)
	}
}

func describe(err error) driver.Outcome {
	var answered *jsonrpc.Error
	if errors.As(err, &answered) {
		failure := &driver.Failure{Code: answered.Code, Message: answered.Message, Data: json.RawMessage(answered.Data)}
		return driver.Outcome{Error: failure}
	}
	return driver.Outcome{Failure: err.Error()}
}

// progress is what was heard since it was last taken.
type progress struct {
	lock   sync.Mutex
	values []float64
}

func (p *progress) add(value float64) {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.values = append(p.values, value)
}

func (p *progress) take() []float64 {
	p.lock.Lock()
	defer p.lock.Unlock()
	values := append([]float64{}, p.values...)
	p.values = nil
	return values
}
