import { useEffect, useState } from 'preact/hooks'
import { client } from './api.ts'
import { forgetToken, pasteToken, signInUrl } from './session.ts'
import { useTask, useTitle } from './ui/hooks.ts'

/** A token has visible ASCII characters alone; others are mostly copied along. */
const invisible = /[^\x20-\x7e]/u

export function SignIn({ onToken, onMount }: { onToken: () => void; onMount: () => void }) {
  const [token, setToken] = useState('')
  const task = useTask()
  useTitle('Sign in')
  useEffect(onMount, [])
  const enter = (event: Event) => {
    event.preventDefault()
    void task.run(async () => {
      if (invisible.test(token.trim())) {
        throw new Error('The token has a character that cannot be in it. Copy it again.')
      }
      pasteToken(token.trim())
      try {
        await client.workspaces.list({})
      } catch (error) {
        forgetToken()
        throw error
      }
      onToken()
    })
  }
  return (
    <main class="page narrow">
      <h1>Sign in</h1>
      <p>
        <a class="button main" href={signInUrl()}>
          Sign in
        </a>
      </p>
      <form class="panel" onSubmit={enter}>
        <label class="field">
          Or use an access token
          <input
            type="password"
            required
            autocomplete="off"
            spellcheck={false}
            value={token}
            onInput={(event) => setToken(event.currentTarget.value)}
            aria-describedby="token-about"
          />
        </label>
        <p id="token-about" class="about">
          Of a member of the workspace. It is kept in this tab only, until the tab is closed.
        </p>
        {task.error && (
          <p class="alert" role="alert">
            {task.error}
          </p>
        )}
        <button type="submit" disabled={task.isBusy}>
          Continue
        </button>
      </form>
    </main>
  )
}
