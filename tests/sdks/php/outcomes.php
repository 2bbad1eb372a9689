<?php

declare(strict_types=1);

require 'GuzzleHttp/autoload.php';

use GuzzleHttp\Client;
use Service\ApiException;
use Service\Configuration;
use Service\ObjectSerializer;

// Gets every error of the document from a sandbox, each as the model of its status.

spl_autoload_register(function (string $name): void {
    $path = __DIR__ . '/generated/lib/' . str_replace('\\', '/', substr($name, strlen('Service\\'))) . '.php';
    if (str_starts_with($name, 'Service\\') && is_file($path)) {
        require $path;
    }
});

function snake(string $name): string
{
    return strtolower(str_replace('-', '_', preg_replace('/(?<=[a-z0-9])([A-Z])/', '_$1', $name)));
}

function pascal(string $words): string
{
    return str_replace(' ', '', ucwords(strtolower(str_replace(['_', '-'], ' ', $words))));
}

/** Arguments by name, as the method declares them. */
function givenTo(object $call): array
{
    $given = [];
    foreach ($call->parameters as $parameter) {
        if (property_exists($parameter, 'value')) {
            $given[snake($parameter->name)] = $parameter->value;
        }
    }
    if (isset($call->bodyType)) {
        $given[snake($call->bodyName)] = ObjectSerializer::deserialize($call->body, "\\Service\\Model\\$call->bodyType");
    } elseif (is_object($call->body ?? null)) {
        $given[snake($call->bodyName)] = (array) $call->body;
    } elseif (isset($call->contentType)) {
        $path = tempnam(sys_get_temp_dir(), 'outcome');
        file_put_contents($path, $call->body);
        $given['body'] = new SplFileObject($path);
    }
    return $given;
}

function codesOf(array $issues): array
{
    return array_map(fn (object $issue) => $issue instanceof stdClass ? $issue->code : $issue->getCode(), $issues);
}

$configuration = (new Configuration())->setHost(getenv('BASE_URL'))->setAccessToken('any');
$entered = 0;
foreach (json_decode(file_get_contents(getenv('CALLS'))) as $call) {
    $class = 'Service\\Api\\' . pascal($call->tag) . 'Api';
    foreach ($call->errors as $error) {
        $api = new $class(new Client(['headers' => ['Prefer' => $error->prefer]]), $configuration);
        $place = "$call->operationId $error->status $error->example";
        try {
            $api->{$call->operationId}(...givenTo($call));
            throw new Exception("$place: it succeeded");
        } catch (ApiException $refused) {
            $body = $refused->getResponseObject();
            $model = 'Service\\Model\\' . pascal(preg_replace('/_ERROR$/', '', $error->code)) . 'ErrorBody';
            if (!$body instanceof $model) {
                throw new Exception("$place: no $model, but " . get_debug_type($body) . ' ' . $refused->getMessage());
            }
            $met = [$refused->getCode(), $body->getCode(), $body->getMessage(), codesOf($body->getIssues())];
            $expected = [$error->status, $error->code, $error->body->message, codesOf($error->body->issues)];
            if ($met !== $expected) {
                throw new Exception("$place: " . json_encode($met));
            }
        }
        $entered++;
    }
}
echo "entered $entered outcomes\n";
