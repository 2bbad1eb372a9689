import { ask, choose, option, type Part, say, set, template, when } from './flow.ts'

const didItHelp = (): Part[] => [
  say('Did this help?'),
  choose('Solved', [option('Yes, thank you', 'Solved'), option('No, I need a person', 'Your details')]),
]

export const support = template({
  id: 'support',
  name: 'Support with hand-over',
  icon: '🛟',
  description: 'Answers the usual questions, and hands everything else to your team by e-mail.',
  category: 'support',
  needs: ['A mail server, and the address of your team in the block that sends the e-mail'],
  colours: ['#0f766e', '#effaf8'],
  variables: {
    Topic: undefined,
    Solved: undefined,
    Name: undefined,
    Email: undefined,
    'Order number': undefined,
    Problem: undefined,
    'Ticket number': undefined,
    Rating: undefined,
  },
  groups: {
    Welcome: [
      say('Hello! I am the support assistant. 🛟\nWhat is it about?'),
      choose('Topic', [
        option('Where is my order?', 'Delivery'),
        option('I want to return something', 'Returns'),
        option('I cannot sign in', 'Account'),
        option('Something else', 'Your details'),
      ]),
    ],
    Delivery: [
      say(
        'Parcels take **two to four working days**.\nThe e-mail that says “On its way” has a link that shows where your parcel is. It sometimes lands in the spam folder.',
      ),
      ...didItHelp(),
    ],
    Returns: [
      say(
        'You can return everything within **30 days**.\nUse the label in the parcel, and bring it to any post office. You get your money back within five days after it arrives.',
      ),
      ...didItHelp(),
    ],
    Account: [
      say(
        'Choose **Forgot password** on the page where you sign in.\nThe link in the e-mail works for one hour. Ask for a new one if yours is older.',
      ),
      ...didItHelp(),
    ],
    Solved: [
      say('Glad to hear that! How happy are you with this chat?'),
      ask('rating input', 'Rating', {
        buttonType: 'Icons',
        length: 5,
        startsAt: 1,
        labels: { left: 'Not at all', right: 'Very', button: 'Send' },
      }),
      when([['Rating', 'Less than', '3']], 'Sorry'),
      say('Thank you! Have a nice day. 👋'),
    ],
    Sorry: [say('Thank you for being honest. We read every rating, and will do better.')],
    'Your details': [
      say('I will hand this to a person. What is your name?'),
      ask('text input', 'Name', { labels: { placeholder: 'Your name', button: 'Continue' } }),
      say('What e-mail address can we answer to?'),
      ask('email input', 'Email', { labels: { placeholder: 'name@example.com', button: 'Continue' } }),
      when(
        [
          ['Topic', 'Contains', 'order'],
          ['Topic', 'Contains', 'return'],
        ],
        'Order',
        'OR',
      ),
      set('Order number', 'none', {}, { to: 'Problem' }),
    ],
    Order: [
      say('Do you have the number of your order? It is in the e-mail that confirms it.'),
      ask(
        'text input',
        'Order number',
        { labels: { placeholder: 'For example 10482', button: 'Continue' } },
        {
          to: 'Problem',
        },
      ),
    ],
    Problem: [
      say('Please describe the problem in a few words.'),
      ask('text input', 'Problem', { isLong: true, labels: { placeholder: 'Your message', button: 'Send' } }),
      set('Ticket number', '', { type: 'Random ID' }),
      {
        type: 'Email',
        options: {
          recipients: ['support@example.com'],
          replyTo: '{{Email}}',
          subject: 'Support: {{Topic}} ({{Name}})',
          body: 'Name: {{Name}}\nE-mail: {{Email}}\nTopic: {{Topic}}\nOrder: {{Order number}}\nTicket: {{Ticket number}}\n\n{{Problem}}',
          isCustomBody: true,
        },
      },
      say(
        'Thank you, {{Name}}. A person of our team will write to **{{Email}}** within one working day.\nYour ticket has the number **{{Ticket number}}**.',
      ),
    ],
  },
})
