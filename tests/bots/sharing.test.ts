import { expect, test } from '@jest/globals'
import { withSharingOf } from '../../server/bots/sharing.ts'
import { JsonText } from '../../server/kit/json/json-text.ts'

test('withSharingOf keeps the text of all settings but those of sharing', () => {
  const own = new JsonText('{ "general": {"10":1.50, "2":1e2,"z":1},"publicShare":{"isEnabled":true}}')
  const general = '"general":{"10":1.50,"2":1e2,"z":1}'
  expect(withSharingOf(own, new JsonText('{}')).text).toBe(`{${general}}`)
  const others = new JsonText('{"publicShare":{"isEnabled":false}}')
  expect(withSharingOf(own, others).text).toBe(`{${general},"publicShare":{"isEnabled":false}}`)
})
