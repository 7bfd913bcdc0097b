// Drives the client of mark3labs/mcp-go; see the package driver.
package main

import (
	"context"
	"errors"
	"os"
	"sync"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
	"herma.dev/interop/driver"
)

func main() {
	options := driver.ReadOptions()
	answers := &answerer{options: options}
	settings := []client.ClientOption{
		client.WithElicitationHandler(answers), client.WithSamplingHandler(answers), client.WithRootsHandler(answers),
	}
	if options.Era == "legacy" {
		settings = append(settings, client.WithProtocolVersion("2025-11-25"))
	}
	link, err := linkOf(options)
	if err != nil {
		driver.Fail(err)
	}
	connection := client.NewClient(link, settings...)
	connection.OnNotification(answers.hear)
	ctx := context.Background()
	if err := connection.Start(ctx); err != nil {
		driver.Fail(err)
	}
	hello := mcp.InitializeRequest{}
	hello.Params.ProtocolVersion = mcp.LATEST_PROTOCOL_VERSION
	hello.Params.ClientInfo = mcp.Implementation{Name: "interop", Version: "1.0.0"}
	server, err := connection.Initialize(ctx, hello)
	if err != nil {
		driver.Fail(err)
	}
	options.CheckEra(server.ProtocolVersion)
	driver.Serve(func(ctx context.Context, request driver.Request) driver.Outcome {
		answers.take()
		result, err := send(ctx, connection, request)
		if err != nil {
			return describe(err)
		}
		request.AwaitProgress()
		return driver.Outcome{Result: result, Progress: answers.take()}
	})
	connection.Close()
}

func linkOf(options driver.Options) (transport.Interface, error) {
	if len(options.Command) > 0 {
		return transport.NewStdio(options.Command[0], os.Environ(), options.Command[1:]...), nil
	}
	if options.Era == "legacy" {
		// A server without a call under way can only be heard on such a stream.
		return transport.NewStreamableHTTP(options.URL, transport.WithContinuousListening())
	}
	return transport.NewStreamableHTTP(options.URL)
}

func send(ctx context.Context, connection *client.Client, request driver.Request) (any, error) {
	switch request.Method {
	case "tools/list":
		return connection.ListTools(ctx, mcp.ListToolsRequest{})
	case "tools/call":
		call := mcp.CallToolRequest{}
		driver.Read(request.Params, &call.Params)
		// The library reads arguments as doubles; what it sends is what an application put there.
		arguments := struct{ Arguments any }{}
		driver.Read(request.Params, &arguments)
		call.Params.Arguments = arguments.Arguments
		call.Params.Meta = &mcp.Meta{ProgressToken: "interop"}
		return connection.CallTool(ctx, call)
	case "resources/read":
		read := mcp.ReadResourceRequest{}
		driver.Read(request.Params, &read.Params)
		return connection.ReadResource(ctx, read)
	case "prompts/get":
		get := mcp.GetPromptRequest{}
		driver.Read(request.Params, &get.Params)
		return connection.GetPrompt(ctx, get)
	default:
		complete := mcp.CompleteRequest{}
		driver.Read(request.Params, &complete.Params)
		return connection.Complete(ctx, complete)
	}
}

// describe: the library keeps of an error its text, and its code where it has a name for it.
func describe(err error) driver.Outcome {
	if errors.Is(err, mcp.ErrInvalidParams) {
		return driver.Outcome{Error: &driver.Failure{Code: -32602, Message: err.Error()}}
	}
	return driver.Outcome{Failure: err.Error()}
}

// answerer answers what servers ask, and keeps the progress since it was last taken.
type answerer struct {
	options driver.Options
	lock    sync.Mutex
	values  []float64
}

func (a *answerer) Elicit(context.Context, mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	content := map[string]any{"name": a.options.Name}
	return &mcp.ElicitationResult{
		ElicitationResponse: mcp.ElicitationResponse{Action: mcp.ElicitationResponseActionAccept, Content: content},
	}, nil
}

func (a *answerer) CreateMessage(context.Context, mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
	message := mcp.SamplingMessage{Role: mcp.RoleAssistant, Content: mcp.NewTextContent(a.options.Sampled)}
	return &mcp.CreateMessageResult{SamplingMessage: message, Model: "interop"}, nil
}

func (a *answerer) ListRoots(context.Context, mcp.ListRootsRequest) (*mcp.ListRootsResult, error) {
	return &mcp.ListRootsResult{Roots: []mcp.Root{{URI: a.options.Root, Name: "interop"}}}, nil
}

func (a *answerer) hear(notification mcp.JSONRPCNotification) {
	value, isProgress := notification.Params.AdditionalFields["progress"].(float64)
	if !isProgress {
		return
	}
	a.lock.Lock()
	defer a.lock.Unlock()
	a.values = append(a.values, value)
}

func (a *answerer) take() []float64 {
	a.lock.Lock()
	defer a.lock.Unlock()
	values := append([]float64{}, a.values...)
	a.values = nil
	return values
}
