import { useEffect, useState } from 'preact/hooks'
import { AccountPage } from './account/account-page.tsx'
import { client } from './api.ts'
import { BotPage } from './bot/bot-page.tsx'
import { InboxPage } from './chats/inbox-page.tsx'
import { CredentialsPage } from './credentials/credentials-page.tsx'
import { BotsPage } from './list/bots-page.tsx'
import { MovePage } from './move/move-page.tsx'
import { PeoplePage } from './people/people-page.tsx'
import { navigate, urlOf, useRoute } from './router.ts'
import { forgetToken, signOut } from './session.ts'
import { SignIn } from './sign-in.tsx'
import { useLoaded, whenSignedOut } from './ui/hooks.ts'
import { Icon } from './ui/icons.tsx'
import { Link } from './ui/link.tsx'
import { Menu } from './ui/menu.tsx'

export function App() {
  const route = useRoute()
  const [isSignedIn, setSignedIn] = useState(true)
  useEffect(() => whenSignedOut(() => setSignedIn(false)), [])
  const workspaces = useLoaded(
    async (signal) => {
      if (!isSignedIn) return []
      return (await client.workspaces.list({}, { signal })).workspaces
    },
    [isSignedIn],
  )

  if (!isSignedIn) {
    return (
      <SignIn
        onToken={() => setSignedIn(true)}
        // A token that was rejected is not used again.
        onMount={forgetToken}
      />
    )
  }
  if (!workspaces.value) {
    return (
      <main class="page">
        {workspaces.error ? (
          <p class="alert" role="alert">
            {workspaces.error}
          </p>
        ) : (
          <p role="status">Loading …</p>
        )}
        {workspaces.error && (
          <button type="button" onClick={workspaces.reload}>
            Try again
          </button>
        )}
      </main>
    )
  }
  const isBot = route.botId !== undefined && route.botId !== 'inbox'
  return (
    <div class={isBot ? 'app-full' : undefined}>
      {!isBot && <TopBar />}
      {route.botId === 'inbox' ? (
        <InboxPage workspaces={workspaces.value} query={route.query} />
      ) : route.botId ? (
        <BotPage key={route.botId} botId={route.botId} view={route.view} query={route.query} />
      ) : route.page === 'move' && workspaces.value.length > 0 ? (
        <MovePage workspaces={workspaces.value} />
      ) : route.page === 'members' ? (
        <PeoplePage workspaces={workspaces.value} query={route.query} />
      ) : route.page === 'credentials' ? (
        <CredentialsPage workspaces={workspaces.value} query={route.query} />
      ) : route.page === 'account' ? (
        <AccountPage query={route.query} />
      ) : (
        <BotsPage workspaces={workspaces.value} query={route.query} />
      )}
    </div>
  )
}

function TopBar() {
  return (
    <header class="bar">
      <Link to="bots" class="brand">
        <Icon name="bot" /> Bots
      </Link>
      <nav aria-label="Service">
        <Link to="bots/inbox">Chats</Link>
        <Link to="members">Members</Link>
        <a href={urlOf('docs')}>Help</a>
      </nav>
      <Menu
        label="Account"
        items={[
          { label: 'Account', icon: 'settings', onChoose: () => navigate('account') },
          { label: 'Credentials', icon: 'code', onChoose: () => navigate('credentials') },
          { label: 'Sign out', icon: 'out', onChoose: () => void signOut() },
        ]}
      >
        <Icon name="menu" />
      </Menu>
    </header>
  )
}
