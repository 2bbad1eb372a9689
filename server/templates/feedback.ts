import { ask, choose, option, say, template, when } from './flow.ts'

export const feedback = template({
  id: 'feedback',
  name: 'Feedback',
  icon: '⭐',
  description: 'A rating with stars. Unhappy people say what went wrong, and may be called back.',
  category: 'collect',
  colours: ['#b45309', '#fff8ec'],
  variables: {
    Rating: undefined,
    Liked: undefined,
    'Went wrong': undefined,
    Details: undefined,
    'Answer wanted': undefined,
    Email: undefined,
  },
  groups: {
    Welcome: [
      say('Hi! How was your visit? ⭐'),
      ask('rating input', 'Rating', {
        buttonType: 'Icons',
        length: 5,
        startsAt: 1,
        isOneClickSubmitEnabled: true,
        labels: { left: 'Poor', right: 'Great' },
      }),
      when([['Rating', 'Less or equal to', '3']], 'Went wrong'),
      say('Great! What did you like?'),
      choose('Liked', ['The people', 'The place', 'The food', 'The price'], {
        isMultipleChoice: true,
        buttonLabel: 'Send',
      }),
      say('Thank you, that is good to hear. See you soon! 👋'),
    ],
    'Went wrong': [
      say('We are sorry. What went wrong?'),
      choose(
        'Went wrong',
        ['I waited too long', 'Nobody was friendly', 'It was not clean', 'Something else'],
        {
          isMultipleChoice: true,
          buttonLabel: 'Continue',
        },
      ),
      say('Please tell us more, so that it does not happen again.'),
      ask('text input', 'Details', { isLong: true, labels: { placeholder: 'It was …', button: 'Send' } }),
      say('May we write to you about it?'),
      choose('Answer wanted', [option('Yes, please', 'Contact'), option('No, thank you', 'Goodbye')]),
    ],
    Contact: [
      say('What is your e-mail address?'),
      ask('email input', 'Email', { labels: { placeholder: 'name@example.com', button: 'Send' } }),
      say('We will write to **{{Email}}** this week.', { to: 'Goodbye' }),
    ],
    Goodbye: [say('Thank you for your feedback.')],
  },
})
