// Gets every error of the document from a sandbox, each as the model of its status.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	api "example.com/bot-builder-service/sdks/openapi-generator-go/generated"
)

type call struct {
	OperationId, Tag string
	Parameters       []struct {
		Name, In string
		Value    json.RawMessage
	}
	ContentType, BodyName string
	Body                  json.RawMessage
	Errors                []expected
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
			enter(one, want)
			entered++
		}
	}
	fmt.Printf("entered %d outcomes\n", entered)
}

func enter(one call, want expected) {
	failure := send(one, want.Prefer)
	var refused *api.GenericOpenAPIError
	if !errors.As(failure, &refused) {
		log.Fatalln(one.OperationId, want.Example, failure)
	}
	body := reflect.ValueOf(refused.Model())
	model := pascal(strings.ToLower(strings.TrimSuffix(want.Code, "_ERROR"))) + "ErrorBody"
	if !body.IsValid() || body.Type().Name() != model {
		log.Fatalln(one.OperationId, want.Example, "is no", model, "but", body, failure)
	}
	code, message := body.FieldByName("Code").String(), body.FieldByName("Message").String()
	if code != want.Code || message != want.Body.Message {
		log.Fatalln(one.OperationId, want.Example, code, message)
	}
}

// Builds the request of an operation with a method for each parameter, and executes it.
func send(one call, prefer string) error {
	settings := api.NewConfiguration()
	settings.Servers = api.ServerConfigurations{{URL: os.Getenv("BASE_URL")}}
	settings.AddDefaultHeader("Prefer", prefer)
	service := reflect.ValueOf(api.NewAPIClient(settings)).Elem().FieldByName(pascal(one.Tag) + "API")
	given := []reflect.Value{reflect.ValueOf(context.Background())}
	for _, parameter := range one.Parameters {
		if parameter.In == "path" {
			given = append(given, read(reflect.TypeFor[string](), parameter.Value))
		}
	}
	request := service.MethodByName(pascal(one.OperationId)).Call(given)[0]
	for _, parameter := range one.Parameters {
		if parameter.In != "path" && parameter.Value != nil {
			request = with(request, parameter.Name, func(kind reflect.Type) reflect.Value {
				return read(kind, parameter.Value)
			})
		}
	}
	if one.ContentType == "application/json" {
		request = with(request, one.BodyName, func(kind reflect.Type) reflect.Value { return read(kind, one.Body) })
	} else if one.ContentType != "" {
		var content string
		check(json.Unmarshal(one.Body, &content))
		path := filepath.Join(os.TempDir(), "outcome.txt")
		check(os.WriteFile(path, []byte(content), 0o600))
		file, err := os.Open(path)
		check(err)
		defer os.Remove(path)
		request = with(request, one.BodyName, func(reflect.Type) reflect.Value { return reflect.ValueOf(file) })
	}
	results := request.MethodByName("Execute").Call(nil)
	failure, _ := results[len(results)-1].Interface().(error)
	return failure
}

func with(request reflect.Value, name string, value func(kind reflect.Type) reflect.Value) reflect.Value {
	method := request.MethodByName(pascal(name))
	return method.Call([]reflect.Value{value(method.Type().In(0))})[0]
}

// A value of the type, as JSON has it.
func read(kind reflect.Type, text json.RawMessage) reflect.Value {
	value := reflect.New(kind)
	check(json.Unmarshal(text, value.Interface()))
	return value.Elem()
}

func pascal(words string) string {
	var all strings.Builder
	for _, word := range strings.FieldsFunc(words, func(letter rune) bool { return strings.ContainsRune(" _-", letter) }) {
		all.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return all.String()
}

func check(err error) {
	if err != nil {
		log.Output(2, err.Error())
		os.Exit(1)
	}
}
