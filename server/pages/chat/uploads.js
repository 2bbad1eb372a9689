import { element, filled, icon, newId } from './dom.js'
import { formOf, sendButton } from './forms.js'
import { filledIn, texts } from './texts.js'

/*
 * Inputs that take files, and recordings. Files go up as soon as they are chosen; the reply names where they are. What
 * may go up is for the service to say, the page only does not begin with what is too large.
 */

/** An input for files: one is the answer as soon as it is there, several when the person says so. */
export function uploadField(input, naming, submit, chat) {
  const { options } = input
  const isMultiple = options.isMultipleAllowed === true
  const labels = options.labels ?? {}
  const picker = filePicker({ input, naming, isMultiple, chat, changed: () => update() })
  const send = isMultiple && sendButton(filled(labels.button) ?? texts.upload)
  const answer = () => {
    const files = picker.uploaded()
    const urls = files.map(({ url }) => url)
    const label = files.length === 1 ? (filled(labels.success?.single) ?? texts.fileSent) : manyText()
    function manyText() {
      return filledIn(filled(labels.success?.multiple) ?? texts.filesSent, { total: files.length })
    }
    submit({ type: 'text', text: urls.join(', '), attachedFileUrls: urls }, label)
  }
  const update = () => {
    if (isMultiple) send.disabled = picker.isBusy()
    else if (picker.uploaded().length === 1) answer()
  }
  const skip =
    options.isRequired === false &&
    element(
      'button',
      { type: 'button', class: 'button button-quiet', onclick: () => submit(null, undefined) },
      filled(labels.skip) ?? texts.skip,
    )
  return formOf(
    [picker.element, (send || skip) && element('div', { class: 'field-row files-row' }, skip, send)],
    () => {
      if (picker.isBusy()) return
      if (picker.uploaded().length > 0) answer()
      else picker.focus()
    },
  )
}

/** What of a text input takes files: a way to attach some, and one to record. Undefined where there is neither. */
export function attachmentsOf(input, chat) {
  const { attachments } = input.options
  const isOn = attachments?.isEnabled === true && filled(attachments.saveVariableId) !== undefined
  if (!isOn || !input.upload) return undefined
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
    capture: arePictures ? filled(options.capture) : undefined,
    'aria-describedby': isSmall ? undefined : hintId,
    onchange: () => {
      add([...field.files])
      // So that the same file can be chosen again.
      field.value = ''
    },
  })
  const size = sizeText(limits.maximumSize)
  const words =
    filled(plain(options.labels?.placeholder)) ?? (isMultiple ? texts.chooseFiles : texts.chooseFile)
  const area = isSmall
    ? element('label', { class: 'button button-quiet attach', title: texts.attach }, field, icon('clip'))
    : element(
        'label',
        { class: 'drop-area' },
        field,
        element('span', {}, words),
        element('span', { class: 'hint', id: hintId }, filledIn(texts.atMost, { max: size })),
      )
  const whole = element('div', { class: 'file-picker' }, area, list, trouble)
  for (const name of ['dragenter', 'dragover']) whole.addEventListener(name, over)
  whole.addEventListener('dragleave', () => area.classList.remove('over'))
  whole.addEventListener('drop', (event) => {
    event.preventDefault()
    area.classList.remove('over')
    add([...event.dataTransfer.files])
  })

  function over(event) {
    if (![...event.dataTransfer.types].includes('Files')) return
    event.preventDefault()
    area.classList.add('over')
  }

  function add(files) {
    trouble.replaceChildren()
    for (const file of isMultiple ? files : files.slice(0, 1)) {
      if (!isMultiple) for (const entry of entries.keys()) remove(entry)
      if (file.size > limits.maximumSize) say(tooLargeText(file, size, chat))
      else void send(file)
    }
  }

  async function send(file) {
    const leaving = new AbortController()
    const bar = element('progress', {
      max: 1,
      value: 0,
      'aria-label': filledIn(texts.uploading, { name: file.name }),
    })
    const picture = /^image\/(png|jpeg|gif|webp|avif)$/.test(file.type)
      ? URL.createObjectURL(file)
      : undefined
    const entry = element(
      'li',
      { class: 'file' },
      picture && element('img', { src: picture, alt: '' }),
      element('span', { class: 'file-name', dir: 'auto' }, file.name),
      bar,
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
    try {
      const signal = AbortSignal.any([leaving.signal, chat.signal])
      const { url } = await chat.upload(file, file.name, signal, (share) => {
        bar.value = share
      })
      const found = entries.get(entry)
      if (!found) return
      found.file = { url, name: file.name }
      bar.remove()
    } catch (error) {
      if (leaving.signal.aborted || chat.signal.aborted) return
      remove(entry)
      say(failedText(file.name, error, chat))
    }
    changed()
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
    /** In the order in which they were chosen. */
    uploaded: () => [...entries.values()].flatMap(({ file }) => file ?? []),
    isBusy: () => [...entries.values()].some(({ file }) => file === undefined),
    focus: () => field.focus(),
  }
}

/** A button that records, if the input takes recordings and this browser can. */
export function recorderOf(input, submit, chat) {
  const { audioClip } = input.options
  const isOn = audioClip?.isEnabled === true && input.upload
  if (!isOn || !navigator.mediaDevices?.getUserMedia || typeof MediaRecorder === 'undefined') return undefined
  const status = element('p', { class: 'hint trouble', role: 'status' })
  let recorder
  let isAsking = false
  chat.signal.addEventListener('abort', () => stop(false), { once: true })
  const button = element('button', { type: 'button', class: 'button button-quiet record', onclick: press })
  const cancel = element(
    'button',
    { type: 'button', class: 'button button-quiet', hidden: true, onclick: () => stop(false) },
    texts.cancel,
  )
  name(false)

  function name(isRecording) {
    button.setAttribute('aria-label', isRecording ? texts.stopRecording : texts.record)
    button.title = isRecording ? texts.stopRecording : texts.record
    button.replaceChildren(icon(isRecording ? 'stop' : 'microphone'))
    button.classList.toggle('recording', isRecording)
    cancel.hidden = !isRecording
  }

  async function press() {
    if (recorder) return stop(true)
    // While the person is asked for the microphone, another press would open it a second time.
    if (isAsking) return
    isAsking = true
    status.replaceChildren()
    let stream
    try {
      stream = await navigator.mediaDevices.getUserMedia({ audio: true })
      // The form may have been left meanwhile.
      chat.signal.throwIfAborted()
      begin(stream)
    } catch {
      if (stream) turnOff(stream)
      status.replaceChildren(texts.noMicrophone)
    } finally {
      isAsking = false
    }
  }

  function begin(stream) {
    const begun = new MediaRecorder(stream, { mimeType: mediaType() })
    begun.parts = []
    begun.addEventListener('dataavailable', ({ data }) => begun.parts.push(data))
    begun.start()
    recorder = begun
    name(true)
  }

  function stop(isWanted) {
    const stopped = recorder
    if (!stopped) return
    recorder = undefined
    name(false)
    stopped.addEventListener('stop', () => {
      if (isWanted) void send(new Blob(stopped.parts), stopped.mimeType)
    })
    stopped.stop()
    turnOff(stopped.stream)
  }

  function turnOff(stream) {
    for (const track of stream.getTracks()) track.stop()
  }

  async function send(recording, type) {
    const fileName = `recording.${type.includes('mp4') ? 'mp4' : 'webm'}`
    button.disabled = true
    try {
      const { url } = await chat.upload(recording, fileName, chat.signal, () => {})
      submit({ type: 'audio', url }, texts.recording)
    } catch (error) {
      if (chat.signal.aborted) return
      button.disabled = false
      status.replaceChildren(failedText(fileName, error, chat))
    }
  }

  return { buttons: [cancel, button], status }
}

function mediaType() {
  return ['audio/webm', 'audio/mp4', 'video/mp4'].find((type) => MediaRecorder.isTypeSupported(type)) ?? ''
}

/** What a bot's author may have written with markup, as text. */
function plain(words) {
  return typeof words === 'string' ? words.replaceAll(/<[^<>]*>/g, ' ').trim() : undefined
}

function tooLargeText(file, limit, { texts: own }) {
  const given = filled(own.fileUploadSizeError)
  if (given) return given.replaceAll('[[file]]', file.name).replaceAll('[[limit]]', limit)
  return filledIn(texts.fileTooLarge, { name: file.name, max: limit })
}

function failedText(name, error, { texts: own }) {
  const reason = error.code === 'invalid_value' || error.code === 'too_many_files' ? ` ${error.message}` : ''
  return `${filled(own.fileUploadError) ?? filledIn(texts.fileNotSent, { name })}${reason}`
}

function sizeText(bytes) {
  const megabytes = bytes / (1024 * 1024)
  return megabytes >= 1 ? `${Math.floor(megabytes * 10) / 10} MB` : `${Math.floor(bytes / 1024)} KB`
}

const address = /^https?:\/\/\S+\/files\/[\w-]+\/[a-z\d]{58}\/([^/\s]+)$/

/** An answer that was given before, as it is shown: names of files in place of their addresses. */
export function shownAnswer(text) {
  const names = text.split(', ').map(nameIn)
  return names.includes(undefined) ? text : names.join(', ')
}

/** The name of the file that is at an address of the service. */
function nameIn(part) {
  const name = address.exec(part)?.[1]
  try {
    return name && decodeURIComponent(name)
  } catch {
    // A person can type what only looks like such an address.
    return undefined
  }
}
