import { describe, expect, test } from '@jest/globals'
import { addRoute, createRouteNode, findRoute, parametersOf, segmentsOf } from '../../server/kit/paths.ts'

const paths = [
  '/v1/bots',
  '/v1/bots/import',
  '/v1/bots/{botId}',
  '/v1/bots/{botId}/results',
  '/v1/{kind}/import/log',
  '/api/{publicId}/startChat',
  '/api/{botId}/preview/startChat',
]
const top = createRouteNode<string>()
for (const path of paths) addRoute(top, path).route = path

describe('a target leads to', () => {
  test.each([
    ['/v1/bots', '/v1/bots'],
    ['/v1/bots?limit=1/2', '/v1/bots'],
    ['http://example.com/v1/bots?x', '/v1/bots'],
    ['/v1/bots/import', '/v1/bots/import'],
    ['/v1/bots/imported', '/v1/bots/{botId}'],
    ['/v1/bots/import/results', '/v1/bots/{botId}/results'],
    ['/v1/bots/import/log', '/v1/{kind}/import/log'],
    ['/v1/bots/%2F', '/v1/bots/{botId}'],
    ['/v1/bots/__proto__', '/v1/bots/{botId}'],
    ['/api/preview/startChat', '/api/{publicId}/startChat'],
    ['/api/preview/preview/startChat', '/api/{botId}/preview/startChat'],
  ])('%s', (target, path) => {
    expect(findRoute(top, segmentsOf(target))).toBe(path)
  })
})

test.each([
  '',
  '*',
  '/',
  '//v1/bots',
  '/v1/bots/',
  '/V1/bots',
  '/v1/b%6Fts',
  '/v1/bots//results',
  '/v1/bots/a/results/',
  '/constructor',
  'http://example.com',
  `/v1${'/a'.repeat(5000)}`,
])('%s leads nowhere', (target) => {
  expect(findRoute(top, segmentsOf(target))).toBeUndefined()
})

test('parameters are found by their position', () => {
  expect(parametersOf('/v1/bots/{botId}/results/{resultId}')).toEqual([
    { name: 'botId', at: 3 },
    { name: 'resultId', at: 5 },
  ])
})
