import { kindOf } from '../model/words.ts'

/* Drawings of types of blocks; a type without one has that of its family. */

const paths: Record<string, string> = {
  bubble: 'M4 5h16v11H9l-5 4z',
  input: 'M5 6h14M12 6v12M9 18h6',
  logic: 'M6 4v6a4 4 0 0 0 4 4h8M14 10l4 4-4 4M6 10v10',
  integration: 'M9 3v5M15 3v5M6 8h12v4a6 6 0 0 1-12 0zM12 18v3',
  text: 'M4 5h16v11H9l-5 4zM8 9h8M8 12h5',
  image: 'M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M15.500 9v.5',
  video: 'M4 6h16v12H4zM10 9.500v5l4-2.500z',
  audio: 'M4 10v4h4l5 4V6L8 10zM16.500 9a4 4 0 0 1 0 6',
  embed: 'M8 8l-4 4 4 4M16 8l4 4-4 4',
  'choice input': 'M4 6h16v5H4zM4 13h16v5H4z',
  'email input': 'M4 6h16v12H4zM4 7l8 6 8-6',
  'number input': 'M9 4L7 20M17 4l-2 16M4 9h16M4 15h16',
  'phone number input': 'M7 3h10v18H7zM11 18h2',
  'date input': 'M4 6h16v14H4zM4 11h16M8 3v4M16 3v4',
  'time input': 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zM12 8v4l3 2',
  'rating input':
    'M12 4l2.500 5 5.500.800-4 3.900.900 5.500-4.900-2.600-4.900 2.600.900-5.500-4-3.900 5.500-.800z',
  'file input': 'M12 16V5M8 9l4-4 4 4M5 20h14',
  'Set variable': 'M4 20l1-4L16 5l3 3L8 19z',
  Condition: 'M12 3l8 9-8 9-8-9zM12 9v4M12 15v.5',
  Wait: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zM12 8v4l3 2',
  Code: 'M9 7l-5 5 5 5M15 7l5 5-5 5',
  Email: 'M4 6h16v12H4zM4 7l8 6 8-6',
}

export function BlockIcon({ type }: { type: string }) {
  const { family } = kindOf(type)
  return (
    <svg class={`icon block-icon ${family}`} viewBox="0 0 24 24" aria-hidden="true">
      <path d={paths[type] ?? paths[family]} />
    </svg>
  )
}
