import { ask, choose, option, say, template, when } from './flow.ts'

export const newsletter = template({
  id: 'newsletter',
  name: 'Newsletter',
  icon: '💌',
  description:
    'Signs people up with their topics and how often they want to hear from you, and asks for consent.',
  category: 'collect',
  colours: ['#a21caf', '#fdf2ff'],
  variables: {
    Email: undefined,
    'First name': undefined,
    Topics: undefined,
    Frequency: undefined,
    Consent: undefined,
  },
  groups: {
    Welcome: [
      say('Hi! 💌 Once in a while we write about things that are worth your time.'),
      say('What are you interested in?'),
      choose('Topics', ['New products', 'Guides and tips', 'Events', 'Stories from our team'], {
        isMultipleChoice: true,
        buttonLabel: 'Continue',
      }),
      say('How often may we write?'),
      choose('Frequency', ['Every week', 'Every month', 'Only when it matters']),
      say('What address shall we write to?'),
      ask('email input', 'Email', {
        labels: { placeholder: 'name@example.com', button: 'Continue' },
        retryMessageContent: 'This does not look like an e-mail address. Can you check it?',
      }),
      say('And your first name, so that we can greet you?'),
      ask('text input', 'First name', { labels: { placeholder: 'First name', button: 'Continue' } }),
      say('May we send you the newsletter at **{{Email}}**? Every issue has a link to stop it.'),
      choose('Consent', [option('Yes, sign me up', 'Signed up'), option('No', 'Not signed up')]),
    ],
    'Signed up': [
      when([['Frequency', 'Equal to', 'Every week']], 'Weekly'),
      say('You are on the list, {{First name}}! 🎉 The next issue comes within four weeks.'),
    ],
    Weekly: [say('You are on the list, {{First name}}! 🎉 The next issue comes on Thursday.')],
    'Not signed up': [say('No problem. We keep nothing of this, and you are welcome any time. 👋')],
  },
})
