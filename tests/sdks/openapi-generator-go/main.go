package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
	"reflect"
	"strings"

	api "example.com/bot-builder-service/sdks/openapi-generator-go/generated"
)

func main() {
	log.SetFlags(log.Lshortfile)
	settings := api.NewConfiguration()
	settings.Servers = api.ServerConfigurations{{URL: os.Getenv("BASE_URL")}}
	service := api.NewAPIClient(settings)
	ctx := context.WithValue(context.Background(), api.ContextAccessToken, os.Getenv("TOKEN"))
	asGuest := context.WithValue(context.Background(), api.ContextAccessToken, os.Getenv("GUEST_TOKEN"))
	var current api.BotCreate
	read(os.Getenv("CURRENT_DOCUMENT"), &current)
	var legacy api.BotUpdateV5
	read(os.Getenv("LEGACY_DOCUMENT"), &legacy)

	acme := api.NewWorkspaceCreate("Acme")
	madeWorkspace, _, err := service.WorkspacesAPI.CreateWorkspace(ctx).WorkspaceCreate(*acme).Execute()
	check(err)
	workspace := madeWorkspace.Workspace
	var name string = workspace.Name
	assert(name == "Acme", name)
	assert(workspace.Plan == "FREE", workspace.Plan)
	fmt.Println("create a workspace")

	newFolder := api.NewCreateFolderBody(workspace.Id, *api.NewFolderCreate("Quotes"))
	madeFolder, _, err := service.FoldersAPI.CreateFolder(ctx).CreateFolderBody(*newFolder).Execute()
	check(err)
	folderId := madeFolder.Folder.Id
	fmt.Println("create a folder")

	current.SetFolderId(folderId)
	newBot := api.NewCreateBotBody(workspace.Id, current)
	madeBot, _, err := service.BotsAPI.CreateBot(ctx).CreateBotBody(*newBot).Execute()
	check(err)
	bot := madeBot.Bot.BotV61
	assert(bot != nil, madeBot.Bot)
	assert(*bot.FolderId.Get() == folderId, bot.FolderId)
	assert(equal(flowOf(bot), flowIn(os.Getenv("CURRENT_DOCUMENT"))), bot)
	fmt.Println("create a bot from a document")

	rename := api.NewBotUpdateV61("6.1")
	rename.SetName("Quote")
	rename.SetUpdatedAt(bot.UpdatedAt)
	inCurrentShape := *api.NewUpdateBotBody(api.BotUpdateV61AsBotUpdate(rename))
	renamed, _, err := service.BotsAPI.UpdateBot(ctx, bot.Id).UpdateBotBody(inCurrentShape).Execute()
	check(err)
	assert(renamed.Bot.BotV61.Name == "Quote", renamed.Bot)
	assert(equal(flowOf(renamed.Bot), flowOf(bot)), renamed.Bot)
	fmt.Println("update in current shape")

	_, answer, err := service.BotsAPI.UpdateBot(ctx, bot.Id).UpdateBotBody(inCurrentShape).Execute()
	late := refusal[api.ConflictErrorBody](409, answer, err)
	assert(late.Code == "CONFLICT", late)
	fmt.Println("meet a 409")

	inLegacyShape := *api.NewUpdateBotBody(api.BotUpdateV5AsBotUpdate(&legacy))
	converted, _, err := service.BotsAPI.UpdateBot(ctx, bot.Id).UpdateBotBody(inLegacyShape).Execute()
	check(err)
	assert(converted.Bot.BotV5 != nil, converted.Bot)
	assert(equal(flowOf(converted.Bot), flowIn(os.Getenv("LEGACY_DOCUMENT"))), converted.Bot)
	fmt.Println("update in legacy shape")

	_, _, err = service.PublishingAPI.PublishBot(ctx, bot.Id).Execute()
	check(err)
	fmt.Println("publish")

	live, _, err := service.PublishingAPI.GetPublishedBot(ctx, bot.Id).Execute()
	check(err)
	assert(live.PublishedBot.PublishedBotV5.BotId == bot.Id, live.PublishedBot)
	assert(equal(flowOf(live.PublishedBot), flowIn(os.Getenv("LEGACY_DOCUMENT"))), live.PublishedBot)
	fmt.Println("read the published bot")

	blank := api.NewWorkspaceCreate("")
	_, answer, err = service.WorkspacesAPI.CreateWorkspace(ctx).WorkspaceCreate(*blank).Execute()
	nameless := refusal[api.BadRequestErrorBody](400, answer, err)
	assert(nameless.Code == "BAD_REQUEST", nameless)
	assert(strings.Join(nameless.Issues[0].Path, ".") == "body.name", nameless.Issues)
	fmt.Println("meet a 400")

	_, answer, err = service.PublishingAPI.PublishBot(asGuest, bot.Id).Execute()
	refused := refusal[api.ForbiddenErrorBody](403, answer, err)
	assert(refused.Code == "FORBIDDEN", refused)
	fmt.Println("meet a 403")

	_, answer, err = service.BotsAPI.GetBot(ctx, "unknown").Execute()
	missing := refusal[api.NotFoundErrorBody](404, answer, err)
	assert(missing.Code == "NOT_FOUND", missing)
	fmt.Println("meet a 404")

	var found []string
	for next := service.ResultsAPI.ListResults(ctx, os.Getenv("ANSWERED_BOT_ID")).Limit(2); ; {
		page, _, err := next.Execute()
		check(err)
		for _, result := range page.Results {
			found = append(found, result.Id)
		}
		cursor := page.NextCursor.Get()
		if cursor == nil {
			break
		}
		next = next.Cursor(*cursor)
	}
	assert(strings.Join(found, ",") == os.Getenv("RESULT_IDS"), found)
	fmt.Println("page through results")

	_, _, err = service.BotsAPI.DeleteBot(ctx, bot.Id).Execute()
	check(err)
	_, answer, err = service.BotsAPI.GetBot(ctx, bot.Id).Execute()
	refusal[api.NotFoundErrorBody](404, answer, err)
	_, _, err = service.FoldersAPI.DeleteFolder(ctx, folderId).Execute()
	check(err)
	_, _, err = service.WorkspacesAPI.DeleteWorkspace(ctx, workspace.Id).Execute()
	check(err)
	fmt.Println("delete")
}

// refusal is the typed body of an answer that was expected to be an error.
func refusal[Body any](status int, answer *http.Response, err error) Body {
	var refused *api.GenericOpenAPIError
	assert(errors.As(err, &refused) && answer.StatusCode == status, err)
	body, isBody := refused.Model().(Body)
	assert(isBody, refused.Model())
	return body
}

// flowOf is what a document has in common with every answer that holds it.
func flowOf(document any) map[string]any {
	text, err := json.Marshal(document)
	check(err)
	var all map[string]any
	check(json.Unmarshal(text, &all))
	flow := map[string]any{}
	for _, key := range []string{"groups", "events", "edges", "variables", "theme", "settings"} {
		flow[key] = all[key]
	}
	return flow
}

func flowIn(path string) map[string]any {
	var document any
	read(path, &document)
	return flowOf(document)
}

func equal(a, b map[string]any) bool { return reflect.DeepEqual(a, b) }

func read(path string, target any) {
	text, err := os.ReadFile(path)
	check(err)
	check(json.Unmarshal(text, target))
}

func check(err error) {
	if err != nil {
		log.Output(2, err.Error())
		os.Exit(1)
	}
}

func assert(holds bool, seen any) {
	if !holds {
		log.Output(2, fmt.Sprintf("unexpected: %.2000v", seen))
		os.Exit(1)
	}
}
