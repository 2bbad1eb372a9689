import { ask, choose, option, say, template } from './flow.ts'

/** Public id of the bot that the first start makes, and the page at the address of the service shows. */
export const WELCOME_ID = 'welcome'

export const welcome = template({
  id: WELCOME_ID,
  name: 'Welcome',
  icon: '👋',
  description: 'Shows in a chat what chats can do.',
  category: 'engage',
  colours: ['#1d4ed8', '#eef4ff'],
  variables: {
    Start: undefined,
    Name: undefined,
    Day: undefined,
    Rating: undefined,
    Guess: undefined,
    Next: undefined,
  },
  groups: {
    Welcome: [
      say('Hi! 👋 I am a bot that was made with this service.'),
      say('I ask, I listen, and I go another way for each answer. **What would you like to see?**'),
      choose('Start', [option('Questions of all kinds', 'Questions'), option('A tiny game', 'Game')]),
    ],
    Questions: [
      say('What is your name?'),
      ask('text input', 'Name', { labels: { placeholder: 'Your name', button: 'Send' } }),
      say('Nice to meet you, **{{Name}}**! When shall we meet?'),
      ask('date input', 'Day', { format: 'd MMMM yyyy', labels: { button: 'That day' } }),
      say('{{Day}} it is. How do you like this chat so far?'),
      ask('rating input', 'Rating', {
        buttonType: 'Icons',
        length: 5,
        startsAt: 1,
        labels: { button: 'Send' },
      }),
      say('Thank you! Every answer is a column of a table that you can sort, filter and export.', {
        to: 'More',
      }),
    ],
    Game: [
      say('One of these three is a lie. Which one?'),
      choose('Guess', [
        option('Octopuses have three hearts', 'True'),
        option('Bananas are berries', 'True'),
        option('The Great Wall is seen from the Moon', 'Lie'),
      ]),
    ],
    True: [say('That one is true! 🙈 The lie was the **Great Wall**: it is far too narrow.', { to: 'More' })],
    Lie: [say('Right! 🎉 The Great Wall is far too narrow to be seen from there.', { to: 'More' })],
    More: [
      say('Would you like to see more?'),
      choose('Next', [
        option('The questions', 'Questions'),
        option('The game', 'Game'),
        option('No, I have seen enough', 'Goodbye'),
      ]),
    ],
    Goodbye: [
      say(
        'Then it is your turn: **sign in**, choose one of twelve templates, change its texts, and publish it. 🚀',
      ),
    ],
  },
})
