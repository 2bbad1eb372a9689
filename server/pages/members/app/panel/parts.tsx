import type { ComponentChildren } from 'preact'
import type { PlacedFinding } from '../model/findings.ts'
import { Icon } from '../ui/icons.tsx'

export function PanelHead(props: { title: string; onClose: () => void; children?: ComponentChildren }) {
  return (
    <header class="panel-head">
      <h2>{props.title}</h2>
      <div class="panel-actions">
        {props.children}
        <button type="button" class="quiet square" aria-label="Close the panel" onClick={props.onClose}>
          <Icon name="close" />
        </button>
      </div>
    </header>
  )
}

export function Findings({ findings }: { findings: PlacedFinding[] }) {
  if (findings.length === 0) return null
  const hasError = findings.some(({ severity }) => severity === 'error')
  return (
    <ul class={hasError ? 'findings error' : 'findings'}>
      {findings.map(({ message, severity }, index) => (
        <li key={index} class={severity === 'error' ? 'error' : undefined}>
          {message}
        </li>
      ))}
    </ul>
  )
}
