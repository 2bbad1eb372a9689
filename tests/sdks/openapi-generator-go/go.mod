module example.com/bot-builder-service/sdks/openapi-generator-go

go 1.25.0
