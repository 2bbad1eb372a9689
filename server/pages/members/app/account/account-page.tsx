import type { BrowserSessionList } from '../../../../../generated/client/index.js'
import { client } from '../api.ts'
import { useLoaded, useTask, useTitle } from '../ui/hooks.ts'
import { dateOf } from '../ui/times.ts'
import { Tokens } from './tokens.tsx'

type BrowserSession = BrowserSessionList['browserSessions'][number]

/** The access tokens of the user, and the browsers in which they are signed in. */
export function AccountPage({ query }: { query: URLSearchParams }) {
  useTitle('Account')
  const caller = useLoaded(async (signal) => (await client.currentUser.get({ signal })).user, [])
  return (
    <main class="page">
      <div class="page-head">
        <h1>Account</h1>
      </div>
      {caller.error && (
        <p class="alert" role="alert">
          {caller.error}
        </p>
      )}
      <p class="people-self">{caller.value && `${caller.value.name ?? ''} ${caller.value.email}`.trim()}</p>
      <Tokens suggestedName={query.get('token') ?? ''} />
      <Browsers />
    </main>
  )
}

function Browsers() {
  const task = useTask()
  const loaded = useLoaded(async (signal) => {
    const all: BrowserSession[] = []
    for await (const one of client.browserSessions.list({}, { signal })) all.push(one)
    return all
  }, [])
  const end = (id: string) =>
    task.run(async () => {
      await client.browserSessions.revoke(id)
      loaded.reload()
    })
  const error = task.error ?? loaded.error
  return (
    <section class="panel stack people-section" aria-labelledby="browsers-title">
      <h2 id="browsers-title">Signed-in browsers</h2>
      {error && (
        <p class="alert" role="alert">
          {error}
        </p>
      )}
      {loaded.value?.length === 0 && <p class="about">None.</p>}
      <ul class="people" aria-label="Signed-in browsers">
        {loaded.value?.map((one) => (
          <li key={one.id}>
            <div class="people-name">
              {one.userAgent ?? 'An unknown browser'}
              <p class="about">
                {one.isCurrent && 'This browser. '}Signed in {dateOf(one.createdAt)}
              </p>
            </div>
            <button
              type="button"
              aria-label={`Sign out ${one.userAgent ?? 'an unknown browser'}`}
              disabled={task.isBusy}
              onClick={() => void end(one.id)}
            >
              Sign out
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
