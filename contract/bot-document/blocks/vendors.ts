import { comparisonOperator, logicalOperator } from '../conditions.ts'
import { component, flag, list, oneOf, phrase, prose, url, variableReference } from '../fields.ts'
import { chatModels } from './chat-models.ts'
import { anyValue, pairs, responseMapping, vendorBlock } from './vendor.ts'

/** Vendor blocks for calendars, tables, tracking and messages; those for language models are in chat-models.ts. */

const userId = phrase('Id of the visitor at the vendor; may hold placeholders.', '{{User ID}}').optional()
const userName = phrase('Name of the visitor, or of the page that is reported.', '{{Name}}').optional()
const userEmail = phrase('E-mail address of the visitor.', '{{Email}}').optional()

const calComBlock = vendorBlock(
  { prefix: 'CalCom', type: 'cal-com', vendor: 'Cal.com', actions: ['Book event'] },
  {
    baseUrl: url('Address of the Cal.com installation.', 'https://cal.com').optional(),
    link: url('Address of the event, or its path.', 'ada/30min').optional(),
    layout: oneOf(['Month', 'Weekly', 'Columns'], 'Layout of the calendar.').optional(),
    name: phrase('Name of the visitor.', '{{Name}}').optional(),
    email: userEmail,
    additionalNotes: prose('Notes for the host.', 'Wants to see the editor.').optional(),
    phone: phrase('Phone number of the visitor.', '{{Phone}}').optional(),
    anyPrefilledInformations: list(
      component('CalComAnswer', 'Answer to a question of the booking form.', {
        questionId: phrase('Id of the question.', 'company').optional(),
        value: prose('The answer.', '{{Company}}').optional(),
      }),
      'Answers that the booking form begins with.',
    ).optional(),
    saveBookedDateInVariableId: variableReference('that takes the booked date', 'varDate').optional(),
  },
)

const nocoDbFilter = component('NocoDbFilter', 'Which records are meant.', {
  comparisons: list(
    component('NocoDbComparison', 'Compares a field of the record with a text.', {
      input: phrase('Name of the field.', 'Email').optional(),
      operator: comparisonOperator.optional(),
      value: prose('The text to compare with.', '{{Email}}').optional(),
    }),
    'Comparisons with the fields of a record.',
  ),
  joiner: logicalOperator.optional(),
})

const nocoDbBlock = vendorBlock(
  {
    prefix: 'NocoDb',
    type: 'nocodb',
    vendor: 'NocoDB',
    actions: ['Search Records', 'Create Record', 'Update Existing Record'],
  },
  {
    tableId: phrase('Id of the table.', 'tbl_leads').optional(),
    viewId: phrase('Id of the view.', 'viw_open').optional(),
    returnType: oneOf(
      ['All', 'First', 'Last', 'Random'],
      'With action Search Records: which of the found records are read.',
    ).optional(),
    filter: nocoDbFilter.optional(),
    fields: pairs('With action Create Record: the fields of the new record.'),
    updates: list(
      component('NocoDbUpdate', 'The new value of a field.', {
        fieldName: phrase('Name of the field.', 'Status').optional(),
        value: prose('The value.', 'Booked').optional(),
      }),
      'With action Update Existing Record: the fields that change.',
    ).optional(),
    responseMapping: list(
      component('NocoDbMapping', 'Stores one field of the found records in a variable.', {
        fieldName: phrase('Name of the field.', 'Email').optional(),
        variableId: variableReference('that takes the values').optional(),
      }),
      'With action Search Records: which fields are stored where.',
    ).optional(),
  },
)

const segmentBlock = vendorBlock(
  {
    prefix: 'Segment',
    type: 'segment',
    vendor: 'Segment',
    actions: ['Alias', 'Identify User', 'Page', 'Track'],
  },
  {
    userId,
    previousId: phrase('With action Alias: earlier id of the visitor.', '{{Old ID}}').optional(),
    email: userEmail,
    traits: pairs('With action Identify User: what is known about the visitor.'),
    name: userName,
    category: phrase('With action Page: category of the page.', 'Bot').optional(),
    eventName: phrase('With action Track: name of the event.', 'Lead').optional(),
    properties: pairs('With the actions Page and Track: details.'),
  },
)

const postHogBlock = vendorBlock(
  { prefix: 'PostHog', type: 'posthog', vendor: 'PostHog', actions: ['Capture', 'Identify Group'] },
  {
    isAnonymous: flag('With action Capture: whether the event is recorded without a person.').optional(),
    distinctId: phrase('Id of the visitor at the vendor.', '{{User ID}}').optional(),
    event: phrase('With action Capture: name of the event.', 'lead').optional(),
    properties: pairs('Details of the event or of the group.'),
    personProperties: pairs('With action Capture: what is known about the person.'),
    groups: list(
      component('PostHogGroup', 'A group that the person belongs to.', {
        type: phrase('Kind of group.', 'company').optional(),
        key: phrase('Key of the group.', '{{Company}}').optional(),
      }),
      'With action Capture: groups that the person belongs to.',
    ).optional(),
    groupType: phrase('With action Identify Group: kind of group.', 'company').optional(),
    groupKey: phrase('With action Identify Group: key of the group.', '{{Company}}').optional(),
  },
)

const qrCodeBlock = vendorBlock(
  { prefix: 'QrCode', type: 'qr-code', vendor: 'QR codes', actions: ['Generate a QR Code'] },
  {
    data: prose('What the code says.', 'https://www.example.com/ticket/{{Ticket}}').optional(),
    saveUrlInVariableId: variableReference('that takes the address of the picture', 'varQrCode').optional(),
  },
)

const zendeskBlock = vendorBlock(
  { prefix: 'Zendesk', type: 'zendesk', vendor: 'Zendesk', actions: ['Open Web Widget'] },
  {
    userId,
    name: userName,
    email: userEmail,
    webWidgetKey: phrase('Key of the widget.', '1a2b3c4d').optional(),
  },
)

/** The response of Get Users is unknown here, so any part of it may be stored. */
const blinkAnswers = { 'Send Feed Event': ['Event ID'] }

const blinkBlock = vendorBlock(
  {
    prefix: 'Blink',
    type: 'blink',
    vendor: 'Blink',
    actions: ['Get Users', 'Send Feed Event', 'Redirect'],
    answers: blinkAnswers,
  },
  {
    filter: anyValue('With action Get Users: users by User ID or by Employee ID.', {
      type: 'User ID',
      userId: 'u1',
    }),
    categoryId: phrase('With action Send Feed Event: id of the category.', 'cat_news').optional(),
    ribbonColor: phrase('With action Send Feed Event: colour of the ribbon.', '#ff5924').optional(),
    sections: anyValue('With action Send Feed Event: the content.', [{ text: 'Hello' }]),
    allowComments: flag('With action Send Feed Event: whether comments are open.').optional(),
    allowReactions: flag('With action Send Feed Event: whether reactions are open.').optional(),
    userIds: anyValue('With action Send Feed Event: users that get it.', ['u1']),
    groupIds: anyValue('With action Send Feed Event: groups that get it.', ['g1']),
    pushNotification: anyValue('With action Send Feed Event: the notification that goes with it.', {
      title: 'News',
    }),
    url: url('With action Redirect: address that is opened.', 'https://www.example.com').optional(),
    responseMapping: responseMapping(blinkAnswers),
  },
)

const gmailAnswers = { 'Send email': ['Thread ID'] }

const gmailBlock = vendorBlock(
  { prefix: 'Gmail', type: 'gmail', vendor: 'Gmail', actions: ['Send email'], answers: gmailAnswers },
  {
    to: phrase('Address of the recipient.', '{{Email}}').optional(),
    from: phrase('Address of the sender.', 'sales@example.com').optional(),
    replyTo: phrase('Address that replies go to.', 'team@example.com').optional(),
    subject: phrase('Subject.', 'Your demo').optional(),
    body: prose('Body.', 'Hello {{Name}}, see you soon.').optional(),
    label: phrase('Label that the e-mail gets.', 'Bot').optional(),
    threadId: phrase('Id of the thread that the e-mail belongs to.', '{{Thread}}').optional(),
    attachments: anyValue('Files that are attached.', '{{Files}}'),
    responseMapping: responseMapping(gmailAnswers),
  },
)

export const vendors = [
  ...chatModels,
  calComBlock,
  nocoDbBlock,
  segmentBlock,
  postHogBlock,
  qrCodeBlock,
  zendeskBlock,
  blinkBlock,
  gmailBlock,
] as const
