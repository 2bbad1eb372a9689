import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { ApiError, isSignedOut, wordsOf } from '../api.ts'

/** Called when a request finds that the user is signed out. */
let onSignedOut: () => void = () => {}

export function whenSignedOut(listener: () => void) {
  onSignedOut = listener
}

/** The words of an error; leads to the sign-in where that is the reason. */
export function failureOf(error: unknown): string {
  if (isSignedOut(error)) onSignedOut()
  return wordsOf(error)
}

export interface Loaded<Value> {
  value: Value | undefined
  error: string | undefined
  isLoading: boolean
  /** True if it is not there or not for this user, so that loading it again is of no use. */
  isDenied: boolean
  reload: () => void
}

/** Loads a value again whenever a dependency changes. The old value or error stays until the new one is there. */
export function useLoaded<Value>(
  load: (signal: AbortSignal) => Promise<Value>,
  dependencies: unknown[],
): Loaded<Value> {
  const [state, setState] = useState<{ value?: Value; error?: string; isLoading: boolean; isGone: boolean }>({
    isLoading: true,
    isGone: false,
  })
  const [count, setCount] = useState(0)
  useEffect(() => {
    const controller = new AbortController()
    setState((before) => ({ ...before, isLoading: true }))
    load(controller.signal).then(
      (value) => !controller.signal.aborted && setState({ value, isLoading: false, isGone: false }),
      (error) =>
        !controller.signal.aborted &&
        setState((before) => ({
          ...before,
          error: failureOf(error),
          isLoading: false,
          isGone: error instanceof ApiError && (error.status === 403 || error.status === 404),
        })),
    )
    return () => controller.abort()
  }, [...dependencies, count])
  const reload = useCallback(() => setCount((before) => before + 1), [])
  return {
    value: state.value,
    error: state.error,
    isLoading: state.isLoading,
    isDenied: state.isGone,
    reload,
  }
}

/** Runs one piece of work at a time, and stores the words of its error. */
export function useTask() {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<string>()
  const busy = useRef(false)
  const run = useCallback(async (work: () => Promise<unknown>) => {
    if (busy.current) return
    busy.current = true
    setBusy(true)
    setError(undefined)
    try {
      await work()
    } catch (thrown) {
      setError(failureOf(thrown))
    } finally {
      busy.current = false
      setBusy(false)
    }
  }, [])
  return { isBusy, error, run, setError }
}

/** Works on files one after the other, those that are added meanwhile last. `isReady` is false where none may begin. */
export function useQueue<Outcome>(work: (file: File) => Promise<Outcome>, isReady = true) {
  const [waiting, setWaiting] = useState<File[]>([])
  const [outcomes, setOutcomes] = useState<Outcome[]>([])
  const [file] = waiting
  useEffect(() => {
    if (!file || !isReady) return
    let isUnmounted = false
    work(file).then((outcome) => {
      if (isUnmounted) return
      setOutcomes((before) => [...before, outcome])
      setWaiting((before) => before.slice(1))
    })
    return () => {
      isUnmounted = true
    }
  }, [file])
  const add = (files: File[]) => setWaiting((before) => [...before, ...files])
  return { waiting, outcomes, add }
}

/** Takes files that are dropped on an element with these handlers. */
export function useFileDrop(take: (files: File[]) => void) {
  const [isDragging, setDragging] = useState(false)
  const handlers = {
    onDragOver(event: DragEvent) {
      if (!event.dataTransfer?.types.includes('Files')) return
      event.preventDefault()
      setDragging(true)
    },
    onDragLeave(event: DragEvent) {
      if (event.target === event.currentTarget) setDragging(false)
    },
    onDrop(event: DragEvent) {
      const files = [...(event.dataTransfer?.files ?? [])]
      if (files.length === 0) return
      event.preventDefault()
      setDragging(false)
      take(files)
    },
  }
  return { isDragging, handlers }
}

/** Sets the title of the tab. */
export function useTitle(title: string) {
  useEffect(() => {
    document.title = title
  }, [title])
}
