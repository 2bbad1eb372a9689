package main

import (
	"encoding/json"
	"net/http"
	"os"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

type signed struct {
	Secret  string            `json:"secret"`
	Body    string            `json:"body"`
	Headers map[string]string `json:"headers"`
}

func isTaken(given signed) bool {
	webhook, err := standardwebhooks.NewWebhook(given.Secret)
	if err != nil {
		return false
	}
	headers := http.Header{}
	for name, value := range given.Headers {
		headers.Set(name, value)
	}
	return webhook.Verify([]byte(given.Body), headers) == nil
}

func main() {
	var cases []signed
	if err := json.NewDecoder(os.Stdin).Decode(&cases); err != nil {
		panic(err)
	}
	taken := make([]bool, len(cases))
	for index, given := range cases {
		taken[index] = isTaken(given)
	}
	if err := json.NewEncoder(os.Stdout).Encode(taken); err != nil {
		panic(err)
	}
}
