import { readFileSync } from 'node:fs'
import { Webhook } from 'standardwebhooks'

interface Case {
  secret: string
  body: string
  headers: Record<string, string>
}

const cases = JSON.parse(readFileSync(0, 'utf8')) as Case[]

const taken = cases.map(({ secret, body, headers }) => {
  try {
    return new Webhook(secret).verify(body, headers) !== undefined
  } catch {
    return false
  }
})
console.log(JSON.stringify(taken))
