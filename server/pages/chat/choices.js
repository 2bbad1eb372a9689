import { element, icon, isComposing, nonEmptyText, picture, safePicture } from './dom.js'
import { formOf, sendButton } from './forms.js'
import { mayMove } from './motion.js'
import { texts } from './texts.js'
import { keepEnd } from './view.js'

/* Inputs that are picked from: choice, picture choice, cards. */

export function choice(input, naming, submit) {
  const face = ({ content }) => nonEmptyText(content) ?? '…'
  return choiceOf(input, naming, submit, { face, className: 'choices' })
}

export function pictureChoice(input, naming, submit) {
  const face = ({ pictureSrc, title, description }) => {
    const src = safePicture(pictureSrc)
    return [
      src && picture(src, nonEmptyText(title) ? '' : texts.picture),
      nonEmptyText(title) && element('strong', {}, title),
      // A space in the text as in the picture: the spoken text has to match the visible one.
      ' ',
      nonEmptyText(description) && element('span', { class: 'description' }, description),
    ]
  }
  // Without it, title and description are said as one word.
  const nameOf = ({ title, description }) =>
    nonEmptyText(title) && nonEmptyText(description) ? `${title}. ${description}` : undefined
  return choiceOf(input, naming, submit, { face, nameOf, className: 'choices picture-choices' })
}

/** The name by which the service recognises an item in a text. */
function labelOf({ content, title, pictureSrc, value, id }) {
  return nonEmptyText(content) ?? nonEmptyText(title) ?? nonEmptyText(pictureSrc) ?? nonEmptyText(value) ?? id
}

function shownOf({ content, title, value, pictureSrc, id }) {
  return (
    nonEmptyText(content) ??
    nonEmptyText(title) ??
    nonEmptyText(value) ??
    (nonEmptyText(pictureSrc) ? texts.picture : id)
  )
}

function choiceOf(
  { options, items, prefilledValue },
  naming,
  submit,
  { face, nameOf = () => undefined, className },
) {
  const isMultiple = options.isMultipleChoice === true
  const chosenBefore = nonEmptyText(prefilledValue)?.split(', ') ?? []
  const wasChosen = (item) =>
    [item.value, item.content, item.title, item.id].some(
      (name) => nonEmptyText(name) && (name === prefilledValue || chosenBefore.includes(name)),
    )
  const pickers = items.map((item) => ({
    item,
    element: isMultiple
      ? element(
          'label',
          { class: 'choice choice-multiple', dir: 'auto' },
          element('input', { type: 'checkbox', checked: wasChosen(item), 'aria-label': nameOf(item) }),
          element('span', { class: 'face' }, face(item)),
        )
      : element(
          'button',
          {
            type: 'button',
            class: 'choice button',
            dir: 'auto',
            'aria-label': nameOf(item),
            onclick: () => submit(toReply(item), shownOf(item), { reword: () => shownOf(item) }),
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
    if (!isMultiple || chosen.length === 0) return focusFirst(pickers)
    const items = chosen.map((picker) => picker.item)
    const shown = items.map(shownOf).join(', ')
    submit(items.length === 1 ? toReply(items[0]) : items.map(labelOf).join(', '), shown, {
      reword: () => shown,
    })
  })
}

/** The first answer that is not filtered away. */
function focusFirst(pickers) {
  const first = pickers.find((picker) => !picker.element.hidden)?.element
  ;(first?.querySelector('input') ?? first)?.focus()
}

function toReply(item) {
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
    placeholder: nonEmptyText(options.searchInputPlaceholder) ?? texts.filter,
    oninput: ({ target }) => {
      filter(target.value)
      target.form.scrollIntoView({ block: 'nearest' })
    },
    onkeydown: (event) => {
      if (isComposing(event)) return
      // Escape empties the field; it closes the chat only where there is nothing to empty.
      if (event.key === 'Escape' && event.target.value !== '') event.stopPropagation()
      // Enter would send the form; here it goes to the first answer that is left.
      if (event.key !== 'Enter') return
      event.preventDefault()
      focusFirst(pickers)
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
          nonEmptyText(card.title) && element('strong', {}, card.title),
          nonEmptyText(card.description) && element('p', {}, card.description),
        ),
        paths.map((path) => {
          const text = nonEmptyText(path.text) ?? texts.choose
          const shown = path.id && path.text ? path.text : (nonEmptyText(card.title) ?? text)
          const message = { type: 'text', text: shown, metadata: { replyId: path.id ?? card.id } }
          return element(
            'button',
            {
              type: 'button',
              class: 'button button-quiet',
              'aria-label': nonEmptyText(card.title) ? `${text}: ${card.title}` : undefined,
              onclick: () => submit(message, shown, { reword: () => shown }),
            },
            text,
          )
        }),
      )
    }),
  )
  const form = formOf([list, arrowsOf(list)], () => {})
  form.classList.add('wide')
  return form
}

/** Buttons that show the next cards, where there are more than fit. */
function arrowsOf(list) {
  const arrow = (name, label, direction) =>
    element(
      'button',
      {
        type: 'button',
        class: `button button-quiet ${name}`,
        'aria-label': label,
        onclick: () => {
          const isReversed = getComputedStyle(list).direction === 'rtl'
          const left = direction * (isReversed ? -1 : 1) * list.clientWidth * 0.8
          list.scrollBy({ left, behavior: mayMove() ? 'smooth' : 'instant' })
        },
      },
      icon('arrow'),
    )
  const [previous, next] = [arrow('previous', texts.previous, -1), arrow('next', texts.next, 1)]
  const arrows = element('div', { class: 'arrows', hidden: true }, previous, next)
  const update = () => {
    const hiddenWidth = list.scrollWidth - list.clientWidth
    const position = Math.abs(list.scrollLeft)
    const isHidden = hiddenWidth < 2
    if (arrows.hidden !== isHidden) {
      arrows.hidden = isHidden
      keepEnd()
    }
    previous.disabled = position < 2
    next.disabled = position > hiddenWidth - 2
  }
  list.addEventListener('scroll', update)
  new ResizeObserver(update).observe(list)
  return arrows
}
