<?php

declare(strict_types=1);

require 'GuzzleHttp/autoload.php';

use GuzzleHttp\Client;
use GuzzleHttp\Psr7\Request;
use Service\Api\{BotsApi, FoldersApi, PublishingApi, ResultsApi, WorkspacesApi};
use Service\ApiException;
use Service\Configuration;
use Service\Model\{BadRequestErrorBody, BotCreate, BotUpdateV5, BotUpdateV61, BotV5, ConflictErrorBody};
use Service\Model\{CreateBotBody, CreateFolderBody, FolderCreate, ForbiddenErrorBody, NotFoundErrorBody, PublishedBotV5, UpdateBotBody, WorkspaceCreate};
use Service\ObjectSerializer;

spl_autoload_register(function (string $name): void {
    $path = __DIR__ . '/generated/lib/' . str_replace('\\', '/', substr($name, strlen('Service\\'))) . '.php';
    if (str_starts_with($name, 'Service\\') && is_file($path)) {
        require $path;
    }
});

function configuration(string $token): Configuration
{
    return (new Configuration())->setHost(getenv('BASE_URL'))->setAccessToken(getenv($token));
}

function check(bool $fact): void
{
    if (!$fact) {
        throw new Exception('The story went another way');
    }
}

/** What a document has in common with every answer that holds it. */
function flowOf(mixed $document): array
{
    $read = json_decode(json_encode(ObjectSerializer::sanitizeForSerialization($document)), true);
    return array_map(fn (string $name) => $read[$name] ?? null, ['groups', 'events', 'edges', 'variables', 'theme', 'settings']);
}

/** The body of an answer that was expected to be an error. */
function refusal(int $status, string $class, callable $call): object
{
    try {
        $call();
    } catch (ApiException $refused) {
        check($refused->getCode() === $status);
        check($refused->getResponseObject() instanceof $class);
        return $refused->getResponseObject();
    }
    throw new Exception("expected $status");
}

/**
 * A bot of a version before 6.1. The generator makes one class of all branches of a union, which takes the version of the
 * last branch alone, so the branch is read from the response itself.
 */
function legacy(Request $request, string $property, string $class): object
{
    $response = (new Client())->send($request);
    return ObjectSerializer::deserialize(json_decode((string) $response->getBody())->$property, $class);
}

$api = configuration('TOKEN');
$http = new Client();
$bots = new BotsApi($http, $api);
$folders = new FoldersApi($http, $api);
$publishing = new PublishingApi($http, $api);
$results = new ResultsApi($http, $api);
$workspaces = new WorkspacesApi($http, $api);
$current = json_decode(file_get_contents(getenv('CURRENT_DOCUMENT')));
$legacy = json_decode(file_get_contents(getenv('LEGACY_DOCUMENT')));

$workspace = $workspaces->createWorkspace(new WorkspaceCreate(['name' => 'Acme']))->getWorkspace();
check([$workspace->getName(), $workspace->getPlan(), $workspace->getSettings()] === ['Acme', 'FREE', null]);
echo "create a workspace\n";

$newFolder = new FolderCreate(['name' => 'Quotes']);
$folder = $folders->createFolder(new CreateFolderBody(['workspace_id' => $workspace->getId(), 'folder' => $newFolder]))->getFolder();
echo "create a folder\n";

$document = (object) [...(array) $current, 'folderId' => $folder->getId()];
$newBot = ObjectSerializer::deserialize($document, BotCreate::class);
$bot = $bots->createBot(new CreateBotBody(['workspace_id' => $workspace->getId(), 'bot' => $newBot]))->getBot();
check($bot->getVersion() === '6.1' && $bot->getFolderId() === $folder->getId());
check(flowOf($bot) === flowOf($current));
echo "create a bot from a document\n";

// It writes times without milliseconds, so `updatedAt` would be another one: the tag says which state is meant.
[, , $headers] = $bots->getBotWithHttpInfo($bot->getId());
$tag = $headers['ETag'][0];
$rename = new BotUpdateV61(['version' => '6.1', 'name' => 'Quote']);
$renamed = $bots->updateBot($bot->getId(), new UpdateBotBody(['bot' => $rename]), if_match: $tag)->getBot();
check($renamed->getName() === 'Quote' && flowOf($renamed) === flowOf($current));
echo "update in current shape\n";

$rename->setUpdatedAt($bot->getUpdatedAt());
$late = refusal(409, ConflictErrorBody::class, fn () => $bots->updateBot($bot->getId(), new UpdateBotBody(['bot' => $rename])));
check($late->getCode() === 'CONFLICT');
echo "meet a 409\n";

$inLegacyShape = new UpdateBotBody(['bot' => ObjectSerializer::deserialize($legacy, BotUpdateV5::class)]);
$converted = legacy($bots->updateBotRequest($bot->getId(), $inLegacyShape), 'bot', BotV5::class);
check($converted->getVersion() === '5' && flowOf($converted) === flowOf($legacy));
echo "update in legacy shape\n";

check($publishing->publishBot($bot->getId())->getMessage() === 'success');
echo "publish\n";

$live = legacy($publishing->getPublishedBotRequest($bot->getId()), 'publishedBot', PublishedBotV5::class);
check($live->getVersion() === '5' && $live->getBotId() === $bot->getId());
check(flowOf($live) === flowOf($legacy));
echo "read the published bot\n";

// Its own check would refuse the name before it is sent.
$empty = new class(['name' => 'x']) extends WorkspaceCreate {
    public function getName(): string
    {
        return '';
    }
};
$nameless = refusal(400, BadRequestErrorBody::class, fn () => $workspaces->createWorkspace($empty));
check($nameless->getIssues()[0]->getPath() === ['body', 'name']);
echo "meet a 400\n";

$guest = new PublishingApi($http, configuration('GUEST_TOKEN'));
check(refusal(403, ForbiddenErrorBody::class, fn () => $guest->publishBot($bot->getId()))->getCode() === 'FORBIDDEN');
echo "meet a 403\n";

refusal(404, NotFoundErrorBody::class, fn () => $bots->getBot('unknown'));
echo "meet a 404\n";

$found = [];
$cursor = null;
do {
    $page = $results->listResults(getenv('ANSWERED_BOT_ID'), limit: 2, cursor: $cursor);
    $found = [...$found, ...array_map(fn ($result) => $result->getId(), $page->getResults())];
    $cursor = $page->getNextCursor();
} while ($cursor !== null);
check($found === explode(',', getenv('RESULT_IDS')));
echo "page through results\n";

$bots->deleteBot($bot->getId());
refusal(404, NotFoundErrorBody::class, fn () => $bots->getBot($bot->getId()));
$folders->deleteFolder($folder->getId());
check($workspaces->deleteWorkspace($workspace->getId())->getMessage() === 'Workspace deleted');
echo "delete\n";
