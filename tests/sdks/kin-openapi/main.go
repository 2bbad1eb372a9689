// Reads the document as servers and validators in Go do, and holds the service's responses against it.
package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
)

func main() {
	ctx := context.Background()
	document, err := openapi3.NewLoader().LoadFromFile("../../../generated/openapi-slim-3.0.yaml")
	check(err)
	check(document.Validate(ctx))
	fmt.Println("accept the document with its patterns and examples")

	base := os.Getenv("BASE_URL")
	document.Servers = openapi3.Servers{{URL: base}}
	router, err := gorillamux.NewRouter(document)
	check(err)
	bot := os.Getenv("ANSWERED_BOT_ID")
	result := strings.Split(os.Getenv("RESULT_IDS"), ",")[0]
	for _, path := range []string{
		"/v1/workspaces",
		"/v1/bots/" + bot,
		"/v1/bots/" + bot + "/publishedBot",
		"/v1/bots/" + bot + "/results?limit=2",
		"/v1/bots/" + bot + "/results/" + result,
		"/v1/bots/" + bot + "/results/" + result + "/transcript",
	} {
		hold(ctx, base+path, router)
	}
	fmt.Println("accept what is sent and answered")
}

func hold(ctx context.Context, url string, router routers.Router) {
	request, err := http.NewRequest("GET", url, nil)
	check(err)
	request.Header.Set("Authorization", "Bearer "+os.Getenv("TOKEN"))
	route, params, err := router.FindRoute(request)
	check(err)
	options := &openapi3filter.Options{AuthenticationFunc: openapi3filter.NoopAuthenticationFunc}
	input := &openapi3filter.RequestValidationInput{Request: request, PathParams: params, Route: route, Options: options}
	check(openapi3filter.ValidateRequest(ctx, input))
	response, err := http.DefaultClient.Do(request)
	check(err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	check(err)
	check(openapi3filter.ValidateResponse(ctx, &openapi3filter.ResponseValidationInput{
		RequestValidationInput: input,
		Status:                 response.StatusCode,
		Header:                 response.Header,
		Body:                   io.NopCloser(bytes.NewReader(body)),
		Options:                options,
	}))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
