import { ask, choose, option, say, template, when } from './flow.ts'

export const onboarding = template({
  id: 'onboarding',
  name: 'Onboarding',
  icon: '🚀',
  description: 'Greets new users, asks for their role and goals, and ends with the steps that fit them.',
  category: 'engage',
  colours: ['#0f766e', '#f0fdfa'],
  variables: {
    Name: undefined,
    Role: undefined,
    Goals: undefined,
    'Team size': undefined,
    'Invited address': undefined,
    Tour: undefined,
  },
  groups: {
    Welcome: [
      say('Welcome on board! 🚀\nThree questions, and I show you the shortest way to start.'),
      say('What shall I call you?'),
      ask('text input', 'Name', { labels: { placeholder: 'First name', button: 'Continue' } }),
      say('Hi {{Name}}! What do you do?'),
      choose('Role', ['Marketing', 'Sales', 'Support', 'Development', 'Something else']),
      say('What do you want to reach first? You can choose more than one.'),
      choose('Goals', ['Collect contacts', 'Answer questions', 'Ask for feedback', 'Save time'], {
        isMultipleChoice: true,
        buttonLabel: 'Continue',
      }),
      say('Do you work alone or with others?'),
      choose('Team size', [option('Alone', 'First steps'), option('With a team', 'Team')]),
    ],
    Team: [
      say('Good! Who shall join you first? We send nothing before you say so.'),
      ask('email input', 'Invited address', {
        labels: { placeholder: 'colleague@example.com', button: 'Continue' },
      }),
      say('I wrote {{Invited address}} down. You find the invitation under **Members**.', {
        to: 'First steps',
      }),
    ],
    'First steps': [
      say('Here are your first steps, {{Name}}:'),
      when([['Role', 'Equal to', 'Development']], 'For developers'),
      when([['Goals', 'Contains', 'contacts']], 'For contacts'),
      say('1. Choose a template\n2. Change its texts\n3. Publish it, and send the link to a friend', {
        to: 'Tour',
      }),
    ],
    'For developers': [
      say('1. Make an access token\n2. Create a bot by one request\n3. Connect a webhook to your system', {
        to: 'Tour',
      }),
    ],
    'For contacts': [
      say(
        '1. Take the template **Lead form**\n2. Put it on your site as a bubble\n3. See the contacts come in under Results',
        {
          to: 'Tour',
        },
      ),
    ],
    Tour: [
      say('Would you like a short tour now?'),
      choose('Tour', [option('Yes, show me', 'Show'), option('I find my way', 'Goodbye')]),
    ],
    Show: [
      say('On the left you see your **bots**, at the top **Results**, and in the corner **Help**.'),
      say('The button **Test** opens a chat beside your flow. Nothing that you do there counts.', {
        to: 'Goodbye',
      }),
    ],
    Goodbye: [say('Have fun, {{Name}}! You can open this chat again at any time. 🎈')],
  },
})
