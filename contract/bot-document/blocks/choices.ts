import { displayCondition } from '../conditions.ts'
import { component, flag, id, list, oneOf, phrase, picture, prose, variableReference } from '../fields.ts'
import { outgoingEdge } from '../flow.ts'
import { block } from './block.ts'
import { answerVariable } from './inputs.ts'
import { itemBase, itemOwner, items } from './items.ts'

/** Questions that offer items to choose from. */

const choiceItemShape = {
  ...itemBase('itmYes'),
  content: prose('Text of the button.', 'Yes, please').optional(),
  value: prose('Text stored as the answer. Default: the content.', 'yes').optional(),
  displayCondition: displayCondition.optional(),
}

const choiceOptions = component('ChoiceInputOptions', 'Settings of a choice input.', {
  variableId: answerVariable,
  isMultipleChoice: flag('True if visitors may choose several buttons. Default false.').optional(),
  isSearchable: flag('True if a search field filters the buttons. Default false.').optional(),
  areInitialSearchButtonsVisible: flag('True if the buttons show before a search. Default true.').optional(),
  buttonLabel: phrase('Text of the button that sends several choices. Default Send.', 'Send').optional(),
  searchInputPlaceholder: phrase('Text in the empty search field.', 'Filter the options...').optional(),
  dynamicVariableId: variableReference(
    'whose list gives the buttons instead of the items',
    'varPlans',
  ).optional(),
})

const choiceItem = component('ChoiceItem', 'A button of a choice input.', choiceItemShape)
const legacyChoiceItem = component(
  'LegacyChoiceItem',
  'A button of a choice input, in versions 3, 4 and 5.',
  {
    ...choiceItemShape,
    ...itemOwner,
  },
)

const choiceInput = block('ChoiceInput', 'choice input', 'Asks to choose from buttons.', {
  items: items(choiceItem, 'The buttons, in the order shown.'),
  options: choiceOptions.optional(),
})

const legacyChoiceInput = block(
  'LegacyChoiceInput',
  'choice input',
  'Asks to choose from buttons, in versions 3, 4 and 5.',
  {
    items: items(legacyChoiceItem, 'The buttons, in the order shown.'),
    options: choiceOptions.optional(),
  },
)

const pictureChoiceItemShape = {
  ...itemBase('itmCat'),
  pictureSrc: picture('Address of the picture.').optional(),
  title: prose('Title below the picture.', 'Cat').optional(),
  description: prose('Text below the title.', 'Sleeps a lot.').optional(),
  value: prose('Text stored as the answer. Default: the title, else the picture.', 'cat').optional(),
  displayCondition: displayCondition.optional(),
}

const pictureChoiceOptions = component('PictureChoiceInputOptions', 'Settings of a picture choice input.', {
  variableId: answerVariable,
  isMultipleChoice: flag('True if visitors may choose several pictures. Default false.').optional(),
  isSearchable: flag('True if a search field filters the pictures. Default false.').optional(),
  buttonLabel: phrase('Text of the button that sends several choices. Default Send.', 'Send').optional(),
  searchInputPlaceholder: phrase('Text in the empty search field.', 'Filter the options...').optional(),
  dynamicItems: component(
    'PictureChoiceDynamicItems',
    'Takes the pictures from list variables instead of the items.',
    {
      isEnabled: flag('True if the lists replace the items. Default false.').optional(),
      titlesVariableId: variableReference('with the titles', 'varTitles').optional(),
      descriptionsVariableId: variableReference('with the descriptions', 'varDescriptions').optional(),
      pictureSrcsVariableId: variableReference(
        'with the addresses of the pictures',
        'varPictures',
      ).optional(),
    },
  ).optional(),
})

const pictureChoiceItem = component(
  'PictureChoiceItem',
  'A picture of a picture choice input.',
  pictureChoiceItemShape,
)
const legacyPictureChoiceItem = component(
  'LegacyPictureChoiceItem',
  'A picture of a picture choice input, in versions 3, 4 and 5.',
  { ...pictureChoiceItemShape, ...itemOwner },
)

const pictureChoiceInput = block(
  'PictureChoiceInput',
  'picture choice input',
  'Asks to choose from pictures.',
  {
    items: items(pictureChoiceItem, 'The pictures, in the order shown.'),
    options: pictureChoiceOptions.optional(),
  },
)

const legacyPictureChoiceInput = block(
  'LegacyPictureChoiceInput',
  'picture choice input',
  'Asks to choose from pictures, in versions 3, 4 and 5.',
  {
    items: items(legacyPictureChoiceItem, 'The pictures, in the order shown.'),
    options: pictureChoiceOptions.optional(),
  },
)

const cardPath = component('CardPath', 'A button of a card and its edge.', {
  id: id('Id of the path.', 'pthBuy'),
  text: prose('Text of the button.', 'Buy').optional(),
  outgoingEdgeId: outgoingEdge('the path').optional(),
})

const card = component('CardItem', 'A card with a picture, texts and buttons.', {
  ...itemBase('itmPlanBasic'),
  imageUrl: cardText('Address of the picture.', 'https://files.example.com/basic.png'),
  title: cardText('Title of the card.', 'Basic'),
  description: cardText('Text of the card.', 'For one person.'),
  options: component('CardItemOptions', 'Display condition and internal value of a card.', {
    displayCondition: displayCondition.optional(),
    internalValue: cardText('Text stored as the answer, and by mappings of Internal Value.', 'basic'),
  }).optional(),
  paths: items(cardPath, 'The buttons, in the order shown.').optional(),
})

const cardsInput = block('CardsInput', 'cards', 'Asks to choose from cards.', {
  items: items(card, 'The cards, in the order shown.'),
  options: component('CardsInputOptions', 'Variables for the answer and for parts of the chosen card.', {
    variableId: answerVariable,
    saveResponseMapping: list(
      component('CardMapping', 'Stores one part of the chosen card in a variable.', {
        field: oneOf(
          ['Image URL', 'Title', 'Description', 'Button', 'Internal Value'],
          'Part of the card to store.',
        ).optional(),
        variableId: variableReference('that stores the part', 'varPlan').optional(),
      }),
      'Parts of the card and the variables that store them.',
    ).optional(),
  }).optional(),
})

export const choices = {
  current: [choiceInput, pictureChoiceInput],
  legacy: [legacyChoiceInput, legacyPictureChoiceInput],
  shared: [cardsInput],
} as const

function cardText(description: string, example: string) {
  return prose(`${description} Null: none.`, example).nullable().optional()
}
