import { component, list, oneOf, phrase, prose, url, variableReference } from '../../fields.ts'
import { vendor } from './vendor.ts'

export const calCom = vendor({
  type: 'cal-com',
  prefix: 'CalCom',
  title: 'Cal.com',
  options: {
    baseUrl: url('Address of the Cal.com installation.', 'https://cal.com').optional(),
    link: url('Address of the event, or its path.', 'ada/30min').optional(),
    layout: oneOf(['Month', 'Weekly', 'Columns'], 'Layout of the calendar.').optional(),
    name: phrase('Name of the visitor.', '{{Name}}').optional(),
    email: phrase('E-mail address of the visitor.', '{{Email}}').optional(),
    additionalNotes: prose('Notes for the host.', 'Wants to see the editor.').optional(),
    phone: phrase('Phone number of the visitor.', '{{Phone}}').optional(),
    anyPrefilledInformations: list(
      component('CalComAnswer', 'Answer to a question of the booking form.', {
        questionId: phrase('Id of the question.', 'company').optional(),
        value: prose('The answer.', '{{Company}}').optional(),
      }),
      'Prefilled answers of the booking form.',
    ).optional(),
    saveBookedDateInVariableId: variableReference('that stores the booked date', 'varDate').optional(),
  },
  actions: {
    'Book event': { required: { link: 'Cal.com: the block has no link to an event' } },
  },
})
