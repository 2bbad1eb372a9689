import { createContext } from 'preact'
import { useContext, useEffect, useState } from 'preact/hooks'
import type { Draft } from '../model/draft.ts'
import type { PlacedFinding } from '../model/findings.ts'
import type { Editor, EditorState } from './editor.ts'

export interface Workbench {
  editor: Editor
  state: EditorState
  botId: string
  workspaceId: string
  canWrite: boolean
  findings: PlacedFinding[]
  edit: (change: (draft: Draft) => Draft, field?: string) => void
}

export const WorkbenchContext = createContext<Workbench | undefined>(undefined)

export function useWorkbench(): Workbench {
  const workbench = useContext(WorkbenchContext)
  if (!workbench) throw new Error('Used outside of the pages of a bot')
  return workbench
}

export function useEditorState(editor: Editor): EditorState {
  const [state, setState] = useState(editor.get())
  useEffect(() => {
    setState(editor.get())
    return editor.subscribe(() => setState(editor.get()))
  }, [editor])
  return state
}
