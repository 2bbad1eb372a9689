import type { ComponentChildren } from 'preact'
import { navigate, urlOf } from '../router.ts'

/** A link within the app, which a new tab can open too. */
export function Link(props: {
  to: string
  class?: string
  children: ComponentChildren
  current?: boolean
  label?: string
}) {
  return (
    <a
      href={urlOf(props.to)}
      class={props.class}
      aria-current={props.current ? 'page' : undefined}
      aria-label={props.label}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.button !== 0) return
        event.preventDefault()
        navigate(props.to)
      }}
    >
      {props.children}
    </a>
  )
}
