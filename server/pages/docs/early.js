/* Runs before the page is drawn: dark or light as the system has it, unless the reader chose. */

document.documentElement.classList.add('scripted')

const preferred = matchMedia('(prefers-color-scheme: dark)')

function isDark() {
  const chosen = localStorage.getItem('colors')
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
    localStorage.setItem('colors', isDark() ? 'light' : 'dark')
    applyColors()
  })
})
