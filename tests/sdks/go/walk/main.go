// Gets every error of the document from a sandbox, each in the field of its status.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"reflect"
	"strings"

	api "example.com/bot-builder-service/sdks/go/generated"
)

type call struct {
	OperationId string
	PathParams  map[string]string
	Query       json.RawMessage
	Parameters  []struct{ Name, In string }
	ContentType string
	Body        json.RawMessage
	Errors      []expected
}

type expected struct {
	Status                int
	Code, Example, Prefer string
	Body                  struct{ Message string }
}

func main() {
	log.SetFlags(log.Lshortfile)
	text, err := os.ReadFile(os.Getenv("CALLS"))
	check(err)
	var calls []call
	check(json.Unmarshal(text, &calls))
	entered := 0
	for _, one := range calls {
		for _, want := range one.Errors {
			name := strings.ToUpper(one.OperationId[:1]) + one.OperationId[1:]
			response := send(name, one, want.Prefer)
			body := response.FieldByName(fmt.Sprintf("JSON%d", want.Status))
			if !body.IsValid() || body.IsNil() {
				log.Fatalln(name, want.Example, "has no body of", want.Status, string(response.FieldByName("Body").Bytes()))
			}
			code, message := body.Elem().FieldByName("Code").String(), body.Elem().FieldByName("Message").String()
			if code != want.Code || message != want.Body.Message {
				log.Fatalln(name, want.Example, code, message)
			}
			entered++
		}
	}
	fmt.Printf("entered %d outcomes\n", entered)
}

// Calls the method of an operation, with what it takes in the order of its signature.
func send(name string, one call, prefer string) reflect.Value {
	ask := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Prefer", prefer)
		return nil
	}
	client, err := api.NewClientWithResponses(os.Getenv("BASE_URL"), api.WithRequestEditorFn(ask))
	check(err)
	isFile := one.ContentType == "application/octet-stream"
	if isFile {
		name += "WithBody"
	}
	method := reflect.ValueOf(client).MethodByName(name + "WithResponse")
	given := []reflect.Value{reflect.ValueOf(context.Background())}
	for _, parameter := range one.Parameters {
		if parameter.In == "path" {
			given = append(given, reflect.ValueOf(one.PathParams[parameter.Name]))
		}
	}
	if len(one.Parameters) > len(one.PathParams) {
		given = append(given, read(method.Type().In(len(given)), one.Query))
	}
	if isFile {
		var content string
		check(json.Unmarshal(one.Body, &content))
		var body io.Reader = strings.NewReader(content)
		given = append(given, reflect.ValueOf(one.ContentType), reflect.ValueOf(body))
	} else if one.ContentType != "" {
		given = append(given, read(method.Type().In(len(given)), one.Body))
	}
	results := method.Call(given)
	if err, isError := results[1].Interface().(error); isError {
		check(err)
	}
	return results[0].Elem()
}

// A value of the type, as JSON has it.
func read(kind reflect.Type, text json.RawMessage) reflect.Value {
	value := reflect.New(kind)
	if text == nil {
		text = json.RawMessage("{}")
	}
	check(json.Unmarshal(text, value.Interface()))
	return value.Elem()
}

func check(err error) {
	if err != nil {
		log.Output(2, err.Error())
		os.Exit(1)
	}
}
