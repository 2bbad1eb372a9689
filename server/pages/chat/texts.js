/* Texts of the page itself, in its language. The service puts them into the page. */

export const texts = JSON.parse(document.getElementById('texts').textContent)

/** A text with its `{...}` filled in. */
export function filledIn(text, values) {
  return text.replace(/\{(\w+)\}/g, (_placeholder, name) => String(values[name]))
}
