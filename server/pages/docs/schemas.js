/* The fields of a schema, unfolded in place below the field that has it. */

let loaded

/** Reads the page of schemas once, when a reader unfolds the first. */
function readSchemas(address) {
  loaded ??= fetch(`${address}/docs/schemas`).then(async (response) => {
    if (!response.ok) throw new Error(`The schemas could not be read: ${response.status}`)
    return new DOMParser().parseFromString(await response.text(), 'text/html')
  })
  // A failed read is retried the next time.
  loaded.catch(() => {
    loaded = undefined
  })
  return loaded
}

/** Gives each link to a schema among the fields of an element a button that shows its fields. */
export function addUnfolding(element, address) {
  for (const link of element.querySelectorAll('.fields a[href*="#schema-"], .branches a[href*="#schema-"]')) {
    const name = link.textContent
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'unfold'
    button.textContent = 'Show'
    button.setAttribute('aria-label', `Show the fields of ${name}`)
    button.setAttribute('aria-expanded', 'false')
    let shown
    button.addEventListener('click', async () => {
      shown ??= fieldsOf(name, address)
      const place = await shown
      const row = link.closest('.fields > div, .branches > li')
      if (!place.isConnected) row.append(place)
      else place.hidden = !place.hidden
      button.setAttribute('aria-expanded', String(!place.hidden))
      button.textContent = place.hidden ? 'Show' : 'Hide'
    })
    link.after(' ', button)
  }
}

async function fieldsOf(name, address) {
  const place = document.createElement('div')
  place.className = 'nested'
  try {
    const schema = (await readSchemas(address)).getElementById(`schema-${name}`)
    place.append(...[...schema.cloneNode(true).children].filter(({ localName }) => localName !== 'summary'))
    for (const link of place.querySelectorAll('a'))
      link.href = new URL(link.getAttribute('href'), `${address}/docs/schemas`)
    addUnfolding(place, address)
  } catch (error) {
    place.textContent = error.message
  }
  return place
}
