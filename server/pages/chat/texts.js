/* What the page says by itself, in its language. The service puts the texts into the page. */

export const texts = JSON.parse(document.getElementById('texts').textContent)

/** A text with its `{...}` filled in. */
export function filledIn(text, values) {
  return text.replace(/\{(\w+)\}/g, (_placeholder, name) => String(values[name]))
}
