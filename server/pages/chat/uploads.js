import { Refusal } from './api.js'
import { anySignal } from './compat.js'
import { element, icon, newId, nonEmptyText } from './dom.js'
import { formOf, sendButton } from './forms.js'
import { filledIn, texts } from './texts.js'

/*
 * Inputs for files. Uploads begin as soon as files are chosen; the reply contains their addresses. The service
 * decides which files it accepts; the page only skips those that are too large.
 */

/** An input for files: one file is the answer as soon as it arrives, several once the visitor sends them. */
export function uploadField(input, naming, submit, chat) {
  const { options } = input
  const isMultiple = options.isMultipleAllowed === true
  const labels = options.labels ?? {}
  const picker = filePicker({ input, naming, isMultiple, chat, changed: () => update() })
  const send = isMultiple && sendButton(nonEmptyText(labels.button) ?? texts.upload)
  const answer = () => {
    const files = picker.uploaded()
    const urls = files.map(({ url }) => url)
    const label = files.length === 1 ? (nonEmptyText(labels.success?.single) ?? texts.fileSent) : manyText()
    function manyText() {
      return filledIn(nonEmptyText(labels.success?.multiple) ?? texts.filesSent, { total: files.length })
    }
    submit({ type: 'text', text: urls.join(', '), attachedFileUrls: urls }, label)
  }
  const update = () => {
    // A failed file has to be retried or removed first: in a long list its absence would go unnoticed.
    if (isMultiple) send.disabled = picker.isBusy()
    else if (picker.uploaded().length === 1) answer()
  }
  const skip =
    options.isRequired === false &&
    element(
      'button',
      { type: 'button', class: 'button button-quiet', onclick: () => submit(null, undefined) },
      nonEmptyText(labels.skip) ?? texts.skip,
    )
  return formOf(
    [picker.element, (send || skip) && element('div', { class: 'field-row files-row' }, skip, send)],
    () => {
      if (picker.isBusy()) return picker.focusFailed()
      if (picker.uploaded().length > 0) answer()
      else picker.focus()
    },
  )
}

/** The control for attachments of a text input. Undefined if the input takes none. */
export function attachmentsOf(input, chat) {
  const { attachments } = input.options
  // Files for members who handle the chat go into no variable.
  const hasTarget = input.id === 'people' || nonEmptyText(attachments?.saveVariableId) !== undefined
  if (attachments?.isEnabled !== true || !hasTarget || !input.upload) return undefined
  const naming = { 'aria-label': texts.attach }
  return filePicker({ input, naming, isMultiple: true, isSmall: true, chat, changed: () => {} })
}

/** The files a person chose, each going up, there, or failed. */
function filePicker({ input, naming, isMultiple, isSmall, chat, changed }) {
  const { options, upload: limits } = input
  const types = options.allowedFileTypes?.isEnabled === true ? (options.allowedFileTypes.types ?? []) : []
  const accept = types.map((type) => (/[/.]/.test(type) ? type : `.${type}`))
  const arePictures =
    accept.length > 0 && accept.every((type) => /^image\/|^\.(png|jpe?g|gif|webp|avif|heic)$/i.test(type))
  const entries = new Map()
  const list = element('ul', { class: 'files' })
  const trouble = element('p', { class: 'hint trouble', role: 'alert' })
  const hintId = newId('hint')
  const field = element('input', {
    ...naming,
    type: 'file',
    class: 'visually-hidden',
    multiple: isMultiple,
    accept: accept.join(',') || undefined,
    capture: arePictures ? nonEmptyText(options.capture) : undefined,
    'aria-describedby': isSmall ? undefined : hintId,
    onchange: () => {
      add([...field.files])
      // So that the same file can be chosen again.
      field.value = ''
    },
  })
  const size = sizeText(limits.maximumSize)
  const words =
    nonEmptyText(plain(options.labels?.placeholder)) ?? (isMultiple ? texts.chooseFiles : texts.chooseFile)
  const area = isSmall
    ? element('label', { class: 'button button-quiet attach', title: texts.attach }, field, icon('clip'))
    : element(
        'label',
        { class: 'drop-area' },
        field,
        element('span', {}, words),
        element('span', { class: 'hint', id: hintId }, filledIn(texts.atMost, { max: size })),
      )
  const whole = element('div', { class: 'file-picker' }, !isSmall && area, list, trouble)
  // On the whole page: the browser would leave the chat for a file that is dropped beside the area.
  const listening = { signal: chat.signal }
  for (const name of ['dragenter', 'dragover']) addEventListener(name, over, listening)
  addEventListener('dragleave', () => area.classList.remove('over'), listening)
  addEventListener(
    'drop',
    (event) => {
      if (!hasFiles(event)) return
      event.preventDefault()
      area.classList.remove('over')
      add([...event.dataTransfer.files])
    },
    listening,
  )

  function hasFiles({ dataTransfer }) {
    return [...(dataTransfer?.types ?? [])].includes('Files')
  }

  function over(event) {
    if (!hasFiles(event)) return
    event.preventDefault()
    event.dataTransfer.dropEffect = 'copy'
    area.classList.add('over')
  }

  function add(files) {
    trouble.replaceChildren()
    for (const file of isMultiple ? files : files.slice(0, 1)) {
      if (!isMultiple) for (const entry of entries.keys()) remove(entry)
      if (file.size > limits.maximumSize) say(tooLargeText(file, limits.maximumSize, chat))
      else void send(file)
    }
  }

  async function send(file) {
    const leaving = new AbortController()
    const signal = anySignal(leaving.signal, chat.signal)
    const retry = element(
      'button',
      { type: 'button', class: 'button button-quiet retry', hidden: true, onclick: upload },
      texts.tryAgain,
    )
    const bar = element('progress', {
      max: 1,
      value: 0,
      'aria-label': filledIn(texts.uploading, { name: file.name }),
    })
    const problem = element('p', { class: 'hint', role: 'alert' })
    const picture = /^image\/(png|jpeg|gif|webp|avif)$/.test(file.type)
      ? URL.createObjectURL(file)
      : undefined
    const entry = element(
      'li',
      { class: 'file' },
      picture && element('img', { src: picture, alt: '' }),
      element('span', { class: 'file-name', dir: 'auto' }, file.name),
      bar,
      retry,
      element(
        'button',
        {
          type: 'button',
          class: 'button button-quiet remove',
          'aria-label': filledIn(texts.remove, { name: file.name }),
          onclick: () => {
            remove(entry)
            field.focus()
          },
        },
        '✕',
      ),
    )
    entries.set(entry, { leaving, picture, file: undefined })
    list.append(entry)
    changed()
    await upload()

    async function upload() {
      retry.hidden = true
      bar.hidden = false
      bar.value = 0
      problem.remove()
      try {
        const { url } = await inTurn(signal, () =>
          chat.upload(file, file.name, signal, (share) => {
            bar.value = share
          }),
        )
        const found = entries.get(entry)
        if (!found) return
        found.file = { url, name: file.name }
        bar.remove()
      } catch (error) {
        if (signal.aborted) return
        problem.replaceChildren(failedText(file.name, error, chat, accept))
        entry.append(problem)
        bar.hidden = true
        // A file that the service rejected is not retried.
        if (error instanceof Refusal && error.status < 500) {
          remove(entry)
          say(problem.textContent)
        } else retry.hidden = false
      }
      changed()
    }
  }

  function say(text) {
    trouble.append(element('span', {}, text), ' ')
  }

  function remove(entry) {
    const found = entries.get(entry)
    found?.leaving.abort()
    if (found?.picture) URL.revokeObjectURL(found.picture)
    entries.delete(entry)
    entry.remove()
    changed()
  }

  return {
    element: whole,
    /** The small control, which stands beside the field. */
    button: isSmall ? area : undefined,
    /** In the order in which they were chosen. */
    uploaded: () => [...entries.values()].flatMap(({ file }) => file ?? []),
    isBusy: () => [...entries.values()].some(({ file }) => file === undefined),
    /** Focuses the first failed upload, if there is any. */
    focusFailed: () => list.querySelector('button.retry:not([hidden])')?.focus(),
    focus: () => field.focus(),
  }
}

/** Uploads that are under way at a time, of all inputs of the page. */
const MAX_UPLOADS = 4
let uploads = 0
const waiting = []

async function inTurn(signal, work) {
  if (uploads >= MAX_UPLOADS) await new Promise((resolve) => waiting.push(resolve))
  else uploads += 1
  try {
    signal.throwIfAborted()
    return await work()
  } finally {
    const next = waiting.shift()
    if (next) next()
    else uploads -= 1
  }
}

/** Converts a text of the author, which may have markup, to plain text. */
function plain(words) {
  return typeof words === 'string' ? words.replaceAll(/<[^<>]*>/g, ' ').trim() : undefined
}

/** `[[limit]]` is a number of megabytes, as texts of bots have it. */
function tooLargeText(file, limit, { texts: own }) {
  const given = nonEmptyText(own.fileUploadSizeError)
  if (!given) return filledIn(texts.fileTooLarge, { name: file.name, max: sizeText(limit) })
  return given.replaceAll('[[file]]', () => file.name).replaceAll('[[limit]]', () => megabytesOf(limit))
}

/** Reasons of the service by the code of its issue, since its messages are for programmers. */
const reasons = {
  too_small: texts.fileEmpty,
  invalid_value: texts.fileTypeNotTaken,
  too_many_files: texts.noMoreFiles,
  files_not_kept: texts.noUploads,
  not_waiting: texts.noUploads,
}

export function failedText(name, error, { texts: own }, types = []) {
  const known = error instanceof Refusal ? reasons[error.code] : undefined
  const failed = nonEmptyText(own.fileUploadError) ?? filledIn(texts.fileNotSent, { name })
  return known
    ? `${failed} ${filledIn(known, { name, types: types.map((type) => type.replace('/*', '')).join(', ') })}`
    : failed
}

function megabytesOf(bytes) {
  const megabytes = bytes / (1024 * 1024)
  const steps = megabytes >= 1 ? 10 : 1_000
  return (Math.floor(megabytes * steps) / steps).toLocaleString(document.documentElement.lang)
}

function sizeText(bytes) {
  return bytes >= 1024 * 1024 ? `${megabytesOf(bytes)} MB` : `${Math.floor(bytes / 1024)} KB`
}

const address = /^https?:\/\/\S+\/files\/[\w-]+\/[a-z\d]{58}\/([^/\s]+)$/

/** An earlier answer as it is shown: names of files in place of their addresses. */
export function shownAnswer(text, attachedFileUrls = []) {
  const names = text.split(', ').map(nameIn)
  const words = names.includes(undefined) ? text : names.join(', ')
  const files = attachedFileUrls.map((url) => nameIn(url) ?? url).join(', ')
  return [words, files].filter((part) => part !== '').join('\n')
}

/** The name of the file that is at an address of the service. */
function nameIn(part) {
  const name = address.exec(part)?.[1]
  try {
    return name && decodeURIComponent(name)
  } catch {
    // A visitor can type a text that only looks like such an address.
    return undefined
  }
}
