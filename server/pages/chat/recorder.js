import { element, icon } from './dom.js'
import { texts } from './texts.js'
import { failedText } from './uploads.js'

/*
 * Recordings as answers: one begins at a press of the microphone, ends with the stop button, with Send or when the
 * microphone goes away, and stays until it is sent or discarded.
 */

/** A button that records, if the input takes recordings and this browser can. */
export function recorderOf(input, submit, chat) {
  const { audioClip } = input.options
  const isOn = audioClip?.isEnabled === true && input.upload
  if (!isOn || !navigator.mediaDevices?.getUserMedia || typeof MediaRecorder === 'undefined') return undefined
  const status = element('p', { class: 'hint trouble', role: 'status' })
  /** The recorder while it records. */
  let recorder
  /** A finished recording until it has been uploaded. */
  let recording
  let isAsking = false
  let isSending = false
  chat.signal.addEventListener('abort', () => end(false), { once: true })
  const button = element('button', { type: 'button', class: 'button button-quiet record', onclick: press })
  const cancel = element(
    'button',
    { type: 'button', class: 'button button-quiet', hidden: true, onclick: discard },
    texts.cancel,
  )
  const clock = element('span', { class: 'clock', hidden: true })
  draw()

  function draw() {
    const isRecording = recorder !== undefined
    const name = isRecording ? texts.stopRecording : recording ? texts.tryAgain : texts.record
    button.setAttribute('aria-label', name)
    button.title = name
    button.replaceChildren(
      ...(recording && !isRecording ? [texts.tryAgain] : [icon(isRecording ? 'stop' : 'microphone')]),
    )
    button.classList.toggle('recording', isRecording)
    button.disabled = isSending
    cancel.hidden = !isRecording && !recording
    clock.hidden = !isRecording
  }

  async function press() {
    if (recorder) return end(true)
    if (recording) return send()
    // While the browser waits for the permission of the visitor, another press would open the microphone twice.
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
    const parts = []
    begun.addEventListener('dataavailable', ({ data }) => parts.push(data))
    // Also when the microphone is unplugged: the browser stops by itself then.
    begun.addEventListener('stop', () => {
      clearInterval(begun.timer)
      turnOff(stream)
      if (recorder === begun) recorder = undefined
      if (!begun.isDiscarded && !chat.signal.aborted) {
        recording = { blob: new Blob(parts), type: begun.mimeType }
        void send()
      }
      draw()
    })
    begun.start()
    recorder = begun
    const since = performance.now()
    const tick = () => {
      const seconds = Math.floor((performance.now() - since) / 1_000)
      const time = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
      clock.replaceChildren(
        element('span', { class: 'dot', 'aria-hidden': true }),
        `${texts.recording} ${time}`,
      )
    }
    begun.timer = setInterval(tick, 500)
    tick()
    draw()
  }

  function end(isWanted) {
    if (!recorder) return
    recorder.isDiscarded = !isWanted
    if (recorder.state === 'inactive') recorder.dispatchEvent(new Event('stop'))
    else recorder.stop()
  }

  function discard() {
    end(false)
    recording = undefined
    status.replaceChildren()
    draw()
    button.focus()
  }

  function turnOff(stream) {
    for (const track of stream.getTracks()) track.stop()
  }

  async function send() {
    const { blob, type } = recording
    const fileName = `recording.${type.includes('mp4') ? 'mp4' : 'webm'}`
    status.replaceChildren()
    isSending = true
    draw()
    try {
      const { url } = await chat.upload(blob, fileName, chat.signal, () => {})
      // It may have been discarded meanwhile.
      if (recording?.blob === blob) submit({ type: 'audio', url }, texts.recording)
    } catch (error) {
      if (chat.signal.aborted) return
      if (recording) status.replaceChildren(failedText(texts.recording, error, chat))
    } finally {
      isSending = false
      draw()
    }
  }

  return {
    buttons: [clock, cancel, button],
    status,
    isActive: () => recorder !== undefined || recording !== undefined,
    /** Sends the current recording, or one that did not arrive. */
    finish() {
      if (recorder) end(true)
      else if (!isSending) void send()
    },
  }
}

function mediaType() {
  return ['audio/webm', 'audio/mp4', 'video/mp4'].find((type) => MediaRecorder.isTypeSupported(type)) ?? ''
}
