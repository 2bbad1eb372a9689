/* Runs before the page is drawn: dark or light as the system has it, unless the reader chose. */

document.documentElement.classList.add('scripted')

const preferred = matchMedia('(prefers-color-scheme: dark)')

/** If the browser denies storage, the choice lives as long as the page. */
let choice

function readChoice() {
  try {
    return choice ?? localStorage.getItem('colors')
  } catch {
    return undefined
  }
}

function choose(colors) {
  choice = colors
  try {
    localStorage.setItem('colors', colors)
  } catch {
    // Denied or full.
  }
}

function isDark() {
  const chosen = readChoice()
  return chosen ? chosen === 'dark' : preferred.matches
}

function applyColors() {
  document.documentElement.classList.toggle('dark-mode', isDark())
  const button = document.getElementById('colors')
  if (button) button.textContent = isDark() ? 'Light' : 'Dark'
}

applyColors()
preferred.addEventListener('change', applyColors)
document.addEventListener('DOMContentLoaded', () => {
  applyColors()
  document.getElementById('colors').addEventListener('click', () => {
    choose(isDark() ? 'light' : 'dark')
    applyColors()
  })
})
