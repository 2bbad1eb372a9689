package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"reflect"
	"strings"

	"github.com/oapi-codegen/nullable"

	api "example.com/bot-builder-service/sdks/go/generated"
)

var ctx = context.Background()

func main() {
	log.SetFlags(log.Lshortfile)
	service := connect(os.Getenv("TOKEN"))
	guest := connect(os.Getenv("GUEST_TOKEN"))
	var current api.BotCreate
	read(os.Getenv("CURRENT_DOCUMENT"), &current)
	var legacy api.BotUpdateV5
	read(os.Getenv("LEGACY_DOCUMENT"), &legacy)

	madeWorkspace, err := service.CreateWorkspaceWithResponse(ctx, nil, api.WorkspaceCreate{Name: "Acme"})
	check(err)
	assert(madeWorkspace.JSON201 != nil, madeWorkspace.Status())
	workspace := madeWorkspace.JSON201.Workspace
	var name string = workspace.Name
	assert(name == "Acme", name)
	assert(workspace.Plan == api.WorkspacePlanFREE, workspace.Plan)
	fmt.Println("create a workspace")

	madeFolder, err := service.CreateFolderWithResponse(ctx, nil, api.CreateFolderBody{
		WorkspaceId: workspace.Id, Folder: api.FolderCreate{Name: "Quotes"},
	})
	check(err)
	assert(madeFolder.JSON201 != nil, madeFolder.Status())
	folderId := madeFolder.JSON201.Folder.Id
	fmt.Println("create a folder")

	current.FolderId = nullable.NewNullableWithValue(folderId)
	madeBot, err := service.CreateBotWithResponse(ctx, nil, api.CreateBotBody{WorkspaceId: workspace.Id, Bot: current})
	check(err)
	value, err := botIn(madeBot.Body).ValueByDiscriminator()
	check(err)
	bot, isV61 := value.(api.BotV61)
	assert(isV61, value)
	assert(equal(flowOf(bot), flowOf(current)), bot)
	assert(equal(flowOf(bot), flowIn(os.Getenv("CURRENT_DOCUMENT"))), bot)
	block, err := bot.Groups[0].Blocks[2].ValueByDiscriminator()
	check(err)
	assert(*block.(api.ChoiceInput).Items[0].Content == "Beagle", block)
	fmt.Println("create a bot from a document")

	var rename api.BotUpdate
	check(rename.FromBotUpdateV61(api.BotUpdateV61{
		Version: api.BotUpdateV61VersionN61, Name: pointer("Quote"), UpdatedAt: &bot.UpdatedAt,
	}))
	renamed, err := service.UpdateBotWithResponse(ctx, bot.Id, nil, api.UpdateBotBody{Bot: rename})
	check(err)
	renamedBot, err := botIn(renamed.Body).AsBotV61()
	check(err)
	assert(renamedBot.Name == "Quote", renamedBot.Name)
	assert(equal(flowOf(renamedBot), flowOf(bot)), renamedBot)
	fmt.Println("update in current shape")

	late, err := service.UpdateBotWithResponse(ctx, bot.Id, nil, api.UpdateBotBody{Bot: rename})
	check(err)
	assert(late.JSON409 != nil && late.JSON409.Code == api.CONFLICT, late.Status())
	fmt.Println("meet a 409")

	var change api.BotUpdate
	check(change.FromBotUpdateV5(legacy))
	converted, err := service.UpdateBotWithResponse(ctx, bot.Id, nil, api.UpdateBotBody{Bot: change})
	check(err)
	convertedBot, err := botIn(converted.Body).ValueByDiscriminator()
	check(err)
	assert(equal(flowOf(convertedBot.(api.BotV5)), flowIn(os.Getenv("LEGACY_DOCUMENT"))), convertedBot)
	fmt.Println("update in legacy shape")

	published, err := service.PublishBotWithResponse(ctx, bot.Id, nil)
	check(err)
	assert(published.JSON200 != nil, published.Status())
	fmt.Println("publish")

	live, err := service.GetPublishedBotWithResponse(ctx, bot.Id, nil)
	check(err)
	assert(live.JSON200 != nil, live.Status())
	publishedBot, err := live.JSON200.PublishedBot.ValueByDiscriminator()
	check(err)
	assert(publishedBot.(api.PublishedBotV5).BotId == bot.Id, publishedBot)
	assert(equal(flowOf(publishedBot), flowIn(os.Getenv("LEGACY_DOCUMENT"))), publishedBot)
	fmt.Println("read the published bot")

	nameless, err := service.CreateWorkspaceWithResponse(ctx, nil, api.WorkspaceCreate{Name: ""})
	check(err)
	assert(nameless.JSON400 != nil && nameless.JSON400.Code == api.BADREQUEST, nameless.Status())
	assert(strings.Join(nameless.JSON400.Issues[0].Path, ".") == "body.name", nameless.JSON400.Issues)
	fmt.Println("meet a 400")

	refused, err := guest.PublishBotWithResponse(ctx, bot.Id, nil)
	check(err)
	assert(refused.JSON403 != nil && refused.JSON403.Code == api.FORBIDDEN, refused.Status())
	fmt.Println("meet a 403")

	missing, err := service.GetBotWithResponse(ctx, "unknown", nil)
	check(err)
	assert(missing.JSON404 != nil && missing.JSON404.Code == api.NOTFOUND, missing.Status())
	fmt.Println("meet a 404")

	var found []string
	for params := (api.ListResultsParams{Limit: pointer[int32](2)}); ; {
		page, err := service.ListResultsWithResponse(ctx, os.Getenv("ANSWERED_BOT_ID"), &params)
		check(err)
		assert(page.JSON200 != nil, page.Status())
		for _, result := range page.JSON200.Results {
			found = append(found, result.Id)
		}
		if page.JSON200.NextCursor.IsNull() {
			break
		}
		params.Cursor = pointer(page.JSON200.NextCursor.MustGet())
	}
	assert(strings.Join(found, ",") == os.Getenv("RESULT_IDS"), found)
	fmt.Println("page through results")

	deleted, err := service.DeleteBotWithResponse(ctx, bot.Id, nil)
	check(err)
	assert(deleted.JSON200 != nil, deleted.Status())
	gone, err := service.GetBotWithResponse(ctx, bot.Id, nil)
	check(err)
	assert(gone.JSON404 != nil, gone.Status())
	_, err = service.DeleteFolderWithResponse(ctx, folderId, nil)
	check(err)
	emptied, err := service.DeleteWorkspaceWithResponse(ctx, workspace.Id, nil)
	check(err)
	assert(emptied.JSON200 != nil, emptied.Status())
	fmt.Println("delete")
}

func connect(token string) *api.ClientWithResponses {
	authorize := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+token)
		return nil
	}
	service, err := api.NewClientWithResponses(os.Getenv("BASE_URL"), api.WithRequestEditorFn(authorize))
	check(err)
	return service
}

// botIn reads an answer that can be a short one too: of two media types, the generated code knows the plain one
// only without its charset.
func botIn(body []byte) *api.Bot {
	var answer api.BotBody
	check(json.Unmarshal(body, &answer))
	return &answer.Bot
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

func pointer[T any](value T) *T { return &value }

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
