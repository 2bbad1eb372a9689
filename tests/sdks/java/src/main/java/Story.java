import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.IOException;
import java.net.http.HttpClient;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import service.ApiClient;
import service.ApiException;
import service.api.BotsApi;
import service.api.FoldersApi;
import service.api.PublishingApi;
import service.api.ResultsApi;
import service.api.WorkspacesApi;
import service.model.*;

public class Story {
  private static final Logger modelLogger = Logger.getLogger("service.model");
  private static final ObjectMapper json = ApiClient.createDefaultObjectMapper();

  public static void main(String[] arguments) throws Exception {
    // It warns of every block of a type that it does not know, which is no fault.
    modelLogger.setLevel(Level.SEVERE);
    // Else the number 0 is a text as well, and a union of both takes neither.
    json.configure(MapperFeature.ALLOW_COERCION_OF_SCALARS, false);
    var service = connect(System.getenv("TOKEN"));
    var guest = connect(System.getenv("GUEST_TOKEN"));
    var bots = new BotsApi(service);
    var folders = new FoldersApi(service);
    var publishing = new PublishingApi(service);
    var workspaces = new WorkspacesApi(service);
    var currentDocument = new File(System.getenv("CURRENT_DOCUMENT"));
    var legacyDocument = new File(System.getenv("LEGACY_DOCUMENT"));

    Workspace workspace = workspaces.createWorkspace(new WorkspaceCreate().name("Acme"), null).getWorkspace();
    String name = workspace.getName();
    check(name.equals("Acme"), workspace);
    check(workspace.getPlan() == Workspace.PlanEnum.FREE && workspace.getSettings() == null, workspace);
    System.out.println("create a workspace");

    var newFolder = new CreateFolderBody().workspaceId(workspace.getId()).folder(new FolderCreate().name("Quotes"));
    String folderId = folders.createFolder(newFolder, null).getFolder().getId();
    System.out.println("create a folder");

    var current = json.readValue(currentDocument, BotCreate.class).folderId(folderId);
    Bot made = bots.createBot(new CreateBotBody().workspaceId(workspace.getId()).bot(current), null, null).getBot();
    check(made.getActualInstance() instanceof BotV61, made);
    BotV61 bot = made.getBotV61();
    check(folderId.equals(bot.getFolderId()), bot);
    check(hasFlowOf(currentDocument, bot), bot);
    Block block = bot.getGroups().get(0).getBlocks().get(2);
    check(block.getActualInstance() instanceof ChoiceInput, block);
    check(block.getChoiceInput().getItems().get(0).getContent().equals("Beagle"), block);
    System.out.println("create a bot from a document");

    var rename = new BotUpdateV61()
        .version(BotUpdateV61.VersionEnum._6_1)
        .name("Quote")
        .updatedAt(bot.getUpdatedAt());
    var inCurrentShape = new UpdateBotBody().bot(new BotUpdate(rename));
    BotV61 renamed = bots.updateBot(bot.getId(), inCurrentShape, null, null, null).getBot().getBotV61();
    check(renamed.getName().equals("Quote"), renamed);
    check(hasFlowOf(currentDocument, renamed), renamed);
    System.out.println("update in current shape");

    var late = refusal(409, () -> bots.updateBot(bot.getId(), inCurrentShape, null, null, null), ConflictErrorBody.class);
    check(late.getCode() == ConflictErrorBody.CodeEnum.CONFLICT, late);
    System.out.println("meet a 409");

    var legacy = json.readValue(legacyDocument, BotUpdateV5.class);
    var inLegacyShape = new UpdateBotBody().bot(new BotUpdate(legacy));
    BotV5 converted = bots.updateBot(bot.getId(), inLegacyShape, null, null, null).getBot().getBotV5();
    check(hasFlowOf(legacyDocument, converted), converted);
    System.out.println("update in legacy shape");

    publishing.publishBot(bot.getId(), null, null);
    System.out.println("publish");

    PublishedBotV5 live = publishing.getPublishedBot(bot.getId(), null, null).getPublishedBot().getPublishedBotV5();
    check(live.getBotId().equals(bot.getId()), live);
    check(hasFlowOf(legacyDocument, live), live);
    System.out.println("read the published bot");

    var nameless =
        refusal(400, () -> workspaces.createWorkspace(new WorkspaceCreate().name(""), null), BadRequestErrorBody.class);
    check(nameless.getCode() == BadRequestErrorBody.CodeEnum.BAD_REQUEST, nameless);
    check(nameless.getIssues().get(0).getPath().equals(List.of("body", "name")), nameless);
    System.out.println("meet a 400");

    var refused =
        refusal(403, () -> new PublishingApi(guest).publishBot(bot.getId(), null, null), ForbiddenErrorBody.class);
    check(refused.getCode() == ForbiddenErrorBody.CodeEnum.FORBIDDEN, refused);
    System.out.println("meet a 403");

    var missing = refusal(404, () -> bots.getBot("unknown", null, null), NotFoundErrorBody.class);
    check(missing.getCode() == NotFoundErrorBody.CodeEnum.NOT_FOUND, missing);
    System.out.println("meet a 404");

    var found = new ArrayList<String>();
    String cursor = null;
    do {
      ResultPage page =
          new ResultsApi(service).listResults(
              System.getenv("ANSWERED_BOT_ID"), 2, cursor, null, null, null, null, null, null, null);
      page.getResults().forEach(result -> found.add(result.getId()));
      cursor = page.getNextCursor();
    } while (cursor != null);
    check(String.join(",", found).equals(System.getenv("RESULT_IDS")), found);
    System.out.println("page through results");

    bots.deleteBot(bot.getId(), null);
    refusal(404, () -> bots.getBot(bot.getId(), null, null), NotFoundErrorBody.class);
    folders.deleteFolder(folderId, null, null);
    workspaces.deleteWorkspace(workspace.getId(), null);
    System.out.println("delete");
  }

  private static ApiClient connect(String token) {
    return new ApiClient(HttpClient.newBuilder(), json, System.getenv("BASE_URL"))
        .setRequestInterceptor(request -> request.header("Authorization", "Bearer " + token));
  }

  private interface Call {
    void send() throws ApiException;
  }

  /** The body of an error: the generated methods throw it as text, whatever its status. */
  private static <Body> Body refusal(int status, Call call, Class<Body> body) throws IOException {
    try {
      call.send();
    } catch (ApiException refused) {
      check(refused.getCode() == status, refused);
      return json.readValue(refused.getResponseBody(), body);
    }
    throw new AssertionError("expected " + status);
  }

  /** Returns true if a response has the values of the document; 0 and 0.0 are the same number. */
  private static boolean hasFlowOf(File document, Object answer) throws IOException {
    JsonNode given = json.readTree(document);
    JsonNode found = json.readTree(json.writeValueAsString(answer));
    Comparator<JsonNode> byValue = (a, b) ->
        a.isNumber() && b.isNumber() ? Double.compare(a.asDouble(), b.asDouble()) : a.equals(b) ? 0 : 1;
    return Stream.of("groups", "events", "edges", "variables", "theme", "settings")
        .allMatch(part -> given.get(part).equals(byValue, found.get(part)));
  }

  private static void check(boolean holds, Object seen) {
    if (!holds) throw new AssertionError(seen);
  }
}
