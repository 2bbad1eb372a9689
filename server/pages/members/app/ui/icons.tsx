/* Drawings of 24 by 24, in the colour of the text around them. */

const paths = {
  add: 'M12 5v14M5 12h14',
  back: 'M15 6l-6 6 6 6',
  bot: 'M12 3v3M6 9h12a2 2 0 0 1 2 2v6a2 2 0 0 1-2 2H6a2 2 0 0 1-2-2v-6a2 2 0 0 1 2-2zM9 13v2M15 13v2',
  chat: 'M4 5h16v11H9l-5 4z',
  check: 'M5 13l4 4L19 7',
  clip: 'M8 13l6-6a2.800 2.800 0 0 1 4 4l-8 8a4.800 4.800 0 0 1-7-7l7.500-7.500',
  close: 'M6 6l12 12M18 6L6 18',
  code: 'M9 7l-5 5 5 5M15 7l5 5-5 5',
  copy: 'M9 9h10v10H9zM5 15V5h10',
  delete: 'M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13M10 11v5M14 11v5',
  down: 'M6 9l6 6 6-6',
  edit: 'M4 20l1-4L16 5l3 3L8 19zM14 7l3 3',
  error: 'M12 3l10 17H2zM12 10v4M12 17v.5',
  file: 'M6 3h8l4 4v14H6zM14 3v4h4',
  fit: 'M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5',
  flow: 'M4 4h6v5H4zM14 15h6v5h-6zM7 9v4a3 3 0 0 0 3 3h4',
  folder: 'M3 6h6l2 2h10v11H3z',
  group: 'M4 5h16v14H4zM4 10h16',
  history: 'M4 12a8 8 0 1 0 3-6M4 4v4h4M12 8v4l3 2',
  list: 'M8 6h12M8 12h12M8 18h12M4 6h.5M4 12h.5M4 18h.5',
  menu: 'M12 5v.5M12 12v.5M12 19v.5',
  minus: 'M5 12h14',
  move: 'M3 7h6l2 2h10v10H3zM10 14h6M13 11l3 3-3 3',
  out: 'M14 4h6v6M20 4l-9 9M18 14v6H4V6h6',
  play: 'M7 5l12 7-12 7z',
  publish: 'M12 16V5M7 9l5-5 5 5M5 20h14',
  redo: 'M15 6l5 5-5 5M20 11H9a5 5 0 0 0 0 10h3',
  results: 'M5 20V10M12 20V4M19 20v-7',
  search: 'M10.500 4a6.500 6.500 0 1 0 0 13 6.500 6.500 0 0 0 0-13zM15.500 15.500L21 21',
  settings: 'M4 7h10M18 7h2M4 17h2M10 17h10M16 5v4M8 15v4',
  share:
    'M8 12a3 3 0 1 1-6 0 3 3 0 0 1 6 0zM22 5a3 3 0 1 1-6 0 3 3 0 0 1 6 0zM22 19a3 3 0 1 1-6 0 3 3 0 0 1 6 0zM7.700 10.700l8.600-4.500M7.700 13.300l8.600 4.500',
  tidy: 'M4 4h5v5H4zM15 4h5v5h-5zM15 15h5v5h-5zM9 6.500h6M17.500 9v6',
  undo: 'M9 6l-5 5 5 5M4 11h11a5 5 0 0 1 0 10h-3',
  up: 'M6 15l6-6 6 6',
  variable: 'M8 4c-3 0-2 6-4 8 2 2 1 8 4 8M16 4c3 0 2 6 4 8-2 2-1 8-4 8',
  warning: 'M12 8v5M12 16v.5M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18z',
}

export type IconName = keyof typeof paths

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  )
}
