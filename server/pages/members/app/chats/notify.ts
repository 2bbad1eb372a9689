import { useEffect, useRef } from 'preact/hooks'
import { hasNews } from '../model/chat-news.ts'
import type { ListedChat } from './data.ts'

/* Signs that a visitor waits: a sound, and the title of the tab. */

const soundKey = 'chat-sound'
const SOUND_SECONDS = 0.25

let audio: AudioContext | undefined
/** The choice if the browser stores nothing. */
let choice: boolean | undefined

export function isSoundOn(): boolean {
  try {
    return choice ?? localStorage.getItem(soundKey) === 'on'
  } catch {
    return false
  }
}

/** Plays the sound once when it is switched on. Browsers allow sounds after such a click. */
export function switchSound(isOn: boolean) {
  choice = isOn
  try {
    localStorage.setItem(soundKey, isOn ? 'on' : 'off')
  } catch {
    // Without room the choice lasts as long as the page.
  }
  if (isOn) void play()
}

async function play() {
  if (!isSoundOn()) return
  audio ??= new AudioContext()
  // A page without a click so far stays silent; the sound must not come later, with the first click.
  if (audio.state !== 'running')
    await Promise.race([audio.resume(), new Promise((end) => setTimeout(end, 500))])
  if (audio.state !== 'running') return
  const tone = audio.createOscillator()
  const volume = audio.createGain()
  volume.gain.setValueAtTime(0.15, audio.currentTime)
  volume.gain.exponentialRampToValueAtTime(0.001, audio.currentTime + SOUND_SECONDS)
  tone.frequency.value = 660
  tone.connect(volume).connect(audio.destination)
  tone.start()
  tone.stop(audio.currentTime + SOUND_SECONDS)
}

/** Plays the sound when there is news. The title of the tab has the number of chats that wait. */
export function useNotifications(
  chats: ListedChat[] | undefined,
  { userId, title, isWhole }: { userId: string | undefined; title: string; isWhole: boolean },
) {
  const before = useRef<Map<string, ListedChat>>(undefined)
  const waiting = (chats ?? []).filter(({ handledBy }) => handledBy === 'waiting').length
  useEffect(() => {
    document.title = waiting > 0 ? `(${waiting}) ${title}` : title
    return () => {
      document.title = title
    }
  }, [waiting, title])
  useEffect(() => {
    if (!chats) return
    const isNews = before.current !== undefined && hasNews(before.current, chats, userId, isWhole)
    before.current = new Map(chats.map((chat) => [chat.sessionId, chat]))
    if (isNews) void play()
  }, [chats])
}
