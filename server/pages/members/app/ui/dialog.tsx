import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { Icon } from './icons.tsx'

/** A modal dialog. The browser holds the focus inside, and gives it back. */
export function Dialog(props: {
  title: string
  onClose: () => void
  children: ComponentChildren
  wide?: boolean
}) {
  const element = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const dialog = element.current
    const before = document.activeElement
    dialog?.showModal()
    return () => {
      dialog?.close()
      if (before instanceof HTMLElement) before.focus()
    }
  }, [])
  return (
    <dialog
      ref={element}
      class={props.wide ? 'dialog wide' : 'dialog'}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        props.onClose()
      }}
      onClick={(event) => {
        if (event.target === element.current) props.onClose()
      }}
      onKeyDown={(event) => event.stopPropagation()}
    >
      <div class="dialog-body">
        <header class="dialog-head">
          <h2 id={id}>{props.title}</h2>
          <button type="button" class="quiet square" aria-label="Close" onClick={props.onClose}>
            <Icon name="close" />
          </button>
        </header>
        {props.children}
      </div>
    </dialog>
  )
}

/** Confirms an action that cannot be undone. */
export function Confirmation(props: {
  title: string
  children: ComponentChildren
  action: string
  isBusy?: boolean
  error?: string
  onConfirm: () => void
  onClose: () => void
}) {
  return (
    <Dialog title={props.title} onClose={props.onClose}>
      <div class="stack">{props.children}</div>
      {props.error && (
        <p class="alert" role="alert">
          {props.error}
        </p>
      )}
      <footer class="actions">
        <button type="button" onClick={props.onClose}>
          Cancel
        </button>
        <button type="button" class="main danger" disabled={props.isBusy} onClick={props.onConfirm}>
          {props.action}
        </button>
      </footer>
    </Dialog>
  )
}
