import { element, filled, picture, safePicture } from './dom.js'
import { formOf, sendButton } from './forms.js'
import { texts } from './texts.js'

/* Inputs that are picked from: choice, picture choice, cards. */

export function choice(input, naming, submit) {
  return choiceOf(input, naming, submit, ({ content }) => filled(content) ?? '…', 'choices')
}

export function pictureChoice(input, naming, submit) {
  const face = ({ pictureSrc, title, description }) => {
    const src = safePicture(pictureSrc)
    return [
      src && picture(src, filled(title) ? '' : texts.picture),
      filled(title) && element('strong', {}, title),
      filled(description) && element('span', { class: 'description' }, description),
    ]
  }
  return choiceOf(input, naming, submit, face, 'choices picture-choices')
}

/** What the service knows an item by when it is named in a text. */
function labelOf({ content, title, pictureSrc, value, id }) {
  return filled(content) ?? filled(title) ?? filled(pictureSrc) ?? filled(value) ?? id
}

function shownOf({ content, title, value, id }) {
  return filled(content) ?? filled(title) ?? filled(value) ?? id
}

function choiceOf({ options, items }, naming, submit, face, className) {
  const isMultiple = options.isMultipleChoice === true
  const pickers = items.map((item) => ({
    item,
    element: isMultiple
      ? element(
          'label',
          { class: 'choice choice-multiple', dir: 'auto' },
          element('input', { type: 'checkbox' }),
          element('span', { class: 'face' }, face(item)),
        )
      : element(
          'button',
          {
            type: 'button',
            class: 'choice button',
            dir: 'auto',
            onclick: () => submit(one(item), shownOf(item)),
          },
          face(item),
        ),
  }))
  const list = element(
    'div',
    { class: className, role: 'group', ...naming },
    pickers.map((picker) => picker.element),
  )
  const send = isMultiple && sendButton(options.buttonLabel)
  return formOf([options.isSearchable === true && searchOf(options, pickers), list, send], () => {
    const chosen = pickers.filter((picker) => picker.element.querySelector('input')?.checked)
    if (!isMultiple || chosen.length === 0) return list.querySelector('input, button')?.focus()
    const items = chosen.map((picker) => picker.item)
    submit(items.length === 1 ? one(items[0]) : items.map(labelOf).join(', '), items.map(shownOf).join(', '))
  })
}

function one(item) {
  return { type: 'text', text: labelOf(item), metadata: { replyId: item.id } }
}

function searchOf(options, pickers) {
  const showsAll = options.areInitialSearchButtonsVisible !== false
  const filter = (text) => {
    const words = text.trim().toLowerCase()
    for (const picker of pickers) {
      const content = `${shownOf(picker.item)} ${picker.item.description ?? ''}`.toLowerCase()
      const isChosen = picker.element.querySelector('input')?.checked === true
      picker.element.hidden = !isChosen && (words === '' ? !showsAll : !content.includes(words))
    }
  }
  filter('')
  return element('input', {
    type: 'search',
    dir: 'auto',
    class: 'field search',
    'aria-label': texts.search,
    placeholder: filled(options.searchInputPlaceholder) ?? texts.filter,
    oninput: ({ target }) => {
      filter(target.value)
      target.form.scrollIntoView({ block: 'nearest' })
    },
    onkeydown: (event) => {
      // Enter would send the form; here it goes to the first answer that is left.
      if (event.key !== 'Enter') return
      event.preventDefault()
      const left = pickers.find((picker) => !picker.element.hidden)?.element
      ;(left?.querySelector('input') ?? left)?.focus()
    },
  })
}

export function cards({ items }, naming, submit) {
  const list = element(
    'ul',
    { class: 'cards', ...naming },
    items.map((card) => {
      const src = safePicture(card.imageUrl)
      const paths = Array.isArray(card.paths) && card.paths.length > 0 ? card.paths : [{ text: texts.choose }]
      return element(
        'li',
        { class: 'card', dir: 'auto' },
        src && picture(src, ''),
        element(
          'div',
          { class: 'card-text' },
          filled(card.title) && element('strong', {}, card.title),
          filled(card.description) && element('p', {}, card.description),
        ),
        paths.map((path) => {
          const text = filled(path.text) ?? texts.choose
          const shown = path.id && path.text ? path.text : (filled(card.title) ?? text)
          const message = { type: 'text', text: shown, metadata: { replyId: path.id ?? card.id } }
          return element(
            'button',
            {
              type: 'button',
              class: 'button',
              'aria-label': filled(card.title) ? `${text}: ${card.title}` : undefined,
              onclick: () => submit(message, shown),
            },
            text,
          )
        }),
      )
    }),
  )
  return formOf([list], () => {})
}
