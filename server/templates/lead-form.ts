import { ask, choose, option, say, set, template, when } from './flow.ts'

export const leadForm = template({
  id: 'lead-form',
  name: 'Lead form',
  icon: '🎯',
  description: 'Finds out who asks and for what, and offers a call to those with a project soon.',
  category: 'collect',
  colours: ['#1d4ed8', '#eef4ff'],
  variables: {
    Name: undefined,
    Company: undefined,
    'Company size': undefined,
    Interest: undefined,
    Start: undefined,
    Email: undefined,
    Phone: undefined,
    Message: undefined,
    Priority: 'normal',
  },
  groups: {
    Welcome: [
      say(
        'Hi! 👋 Thanks for your interest.\nI have **four short questions**, then the right person gets back to you.',
      ),
      say('What is your name?'),
      ask('text input', 'Name', { labels: { placeholder: 'First and last name', button: 'Continue' } }),
      say('Nice to meet you, {{Name}}. What company are you with?'),
      ask(
        'text input',
        'Company',
        { labels: { placeholder: 'Company', button: 'Continue' } },
        { to: 'Project' },
      ),
    ],
    Project: [
      say('How many people work at {{Company}}?'),
      choose('Company size', ['1 to 10', '11 to 50', '51 to 250', 'More than 250']),
      say('What would you like to talk about?'),
      choose('Interest', ['A demo', 'Prices', 'A project of ours', 'Something else'], {
        isMultipleChoice: true,
        buttonLabel: 'Continue',
      }),
      say('When do you want to start?'),
      choose('Start', [
        option('This month', 'Soon'),
        option('This quarter', 'Soon'),
        option('Later this year', 'Contact'),
        option('I am just looking', 'Contact'),
      ]),
    ],
    Soon: [
      set('Priority', 'high'),
      say('Good timing! Let us talk soon.\nWhat number can we call?'),
      ask(
        'phone number input',
        'Phone',
        { labels: { placeholder: 'Phone number', button: 'Continue' }, defaultCountryCode: 'US' },
        { to: 'Contact' },
      ),
    ],
    Contact: [
      say('And your **e-mail address**, please?'),
      ask('email input', 'Email', {
        labels: { placeholder: 'name@company.com', button: 'Continue' },
        retryMessageContent: 'This does not look like an e-mail address. Can you check it?',
      }),
      say('Is there anything that we should know before we talk?'),
      ask('text input', 'Message', { isLong: true, labels: { placeholder: 'A few words', button: 'Send' } }),
      when([['Priority', 'Equal to', 'high']], 'We call you'),
      say('Thank you, {{Name}}! We will write to **{{Email}}** within two working days.', { to: 'Goodbye' }),
    ],
    'We call you': [
      say('Thank you, {{Name}}! We will call **{{Phone}}** by the end of tomorrow.', { to: 'Goodbye' }),
    ],
    Goodbye: [say('Have a great day! 👋')],
  },
})
