import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Icon, type IconName } from './icons.tsx'

export interface MenuItem {
  label: string
  icon?: IconName
  isDanger?: boolean
  onChoose: () => void
}

/** A button that opens a list of actions. Arrow keys walk it, Escape closes it. */
export function Menu(props: {
  label: string
  class?: string
  children: ComponentChildren
  items: MenuItem[]
}) {
  const [isOpen, setOpen] = useState(false)
  const root = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (!isOpen) return
    root.current?.querySelector<HTMLElement>('[role=menuitem]')?.focus()
    const leave = (event: Event) => {
      if (!root.current?.contains(event.target as Node)) setOpen(false)
    }
    addEventListener('pointerdown', leave)
    return () => removeEventListener('pointerdown', leave)
  }, [isOpen])
  const close = () => {
    setOpen(false)
    button.current?.focus()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const items = [...(root.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])]
    const at = items.indexOf(document.activeElement as HTMLElement)
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key]
    if (event.key === 'Escape') close()
    else if (event.key === 'Tab') return setOpen(false)
    else if (to !== undefined) items.at(to % items.length)?.focus()
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <div class="menu" ref={root}>
      <button
        ref={button}
        type="button"
        class={props.class ?? 'quiet square'}
        aria-label={props.label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {props.children}
      </button>
      {isOpen && (
        <div class="menu-list" role="menu" aria-label={props.label} onKeyDown={onKeyDown}>
          {props.items.map((item) => (
            <button
              key={item.label}
              type="button"
              role="menuitem"
              tabIndex={-1}
              class={item.isDanger ? 'danger-text' : undefined}
              onClick={() => {
                close()
                item.onChoose()
              }}
            >
              {item.icon && <Icon name={item.icon} />}
              {item.label}
            </button>
          ))}
        </div>
      )}
    </div>
  )
}
