/* Runs before the page is drawn and before Swagger UI is there. */

// Or it would take over every link within the page, and scroll without saying so.
window.noZensmooth = true

/* Dark or light as the system has it, unless the reader chose. */
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
