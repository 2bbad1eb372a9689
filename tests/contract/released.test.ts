import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { information } from '../../contract/index.ts'
import { root } from '../../server/root.ts'

/* Documents of releases, which `make api-diff` compares with `openapi.yaml`. */

const folder = new URL('contract/released/', root)
const released = readdirSync(folder)

test('every released document is named after its version', () => {
  const versions = released.map((name) => {
    const [, version] = /^ {2}version: (.+)$/m.exec(readFileSync(new URL(name, folder), 'utf8')) ?? []
    return `openapi-${version}.yaml`
  })
  expect(released).toEqual(versions)
  expect(released).toContain('openapi-1.0.0.yaml')
})

test.each([
  ['package.json', /"version": "(.+)"/],
  ['package-lock.json', /"version": "(.+)"/],
  ['server/command/package.json', /"version": "(.+)"/],
  ['server/deploy/kubernetes/kustomization.yaml', /newTag: "?([^"\s]+)/],
  ['server/guides/deployment.md', /bot-builder-service-(.+?)\.tgz/],
])('%s has the version of the contract', (file, version) => {
  const [, found] = version.exec(readFileSync(new URL(file, root), 'utf8')) ?? []
  expect(found).toBe(information.version)
})

test('openapi.yaml is the released document as long as it has its version', () => {
  const name = `openapi-${information.version}.yaml`
  const isSame =
    !released.includes(name) ||
    readFileSync(new URL(name, folder)).equals(readFileSync(new URL('openapi.yaml', root)))
  const advice = `raise the version, or copy openapi.yaml to contract/released/${name} before its release`
  expect({ advice, isSame }).toEqual({ advice, isSame: true })
})
