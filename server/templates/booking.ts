import { ask, choose, option, say, set, template, when } from './flow.ts'

export const booking = template({
  id: 'booking',
  name: 'Booking',
  icon: '📅',
  description: 'Takes an appointment with service, day, time and contact, and repeats it before it counts.',
  category: 'collect',
  colours: ['#be123c', '#fff1f3'],
  variables: {
    Service: undefined,
    Today: undefined,
    Day: undefined,
    Time: undefined,
    Guests: undefined,
    Name: undefined,
    Phone: undefined,
    Wishes: undefined,
    Confirmed: undefined,
    'Booking number': undefined,
  },
  groups: {
    Welcome: [
      say('Welcome to **Studio Rosa**! 🌹\nWhat would you like to book?'),
      choose('Service', [
        option('Haircut (45 min)', 'Day and time'),
        option('Colour (2 h)', 'Day and time'),
        option('Workshop for a group', 'Group'),
      ]),
    ],
    Group: [
      say('Lovely! How many of you will come? Workshops are for 4 to 12 people.'),
      ask(
        'number input',
        'Guests',
        { min: 4, max: 12, step: 1, labels: { placeholder: '4 to 12', button: 'Continue' } },
        { to: 'Day and time' },
      ),
    ],
    'Day and time': [
      set('Today', '', { type: 'Today' }),
      say('What day suits you?'),
      ask('date input', 'Day', { format: 'yyyy-MM-dd', min: '{{Today}}', labels: { button: 'Continue' } }),
      say('And what time?'),
      choose('Time', ['9:00', '10:30', '12:00', '14:00', '15:30', '17:00'], {}, { to: 'Contact' }),
    ],
    Contact: [
      when([['Name', 'Is set']], 'Summary'),
      say('What name shall I write down?'),
      ask('text input', 'Name', { labels: { placeholder: 'Your name', button: 'Continue' } }),
      say('What number can we reach you at if something changes?'),
      ask('phone number input', 'Phone', {
        labels: { placeholder: 'Phone number', button: 'Continue' },
        defaultCountryCode: 'US',
      }),
      say('Do you have any wishes?'),
      ask(
        'text input',
        'Wishes',
        { isLong: true, labels: { placeholder: 'None', button: 'Continue' } },
        { to: 'Summary' },
      ),
    ],
    Summary: [
      say('**{{Service}}**\nOn {{Day}} at {{Time}}\nFor {{Name}}, {{Phone}}'),
      say('Is everything right?'),
      choose('Confirmed', [
        option('Yes, book it', 'Booked'),
        option('Another day or time', 'Day and time'),
        option('Cancel', 'Cancelled'),
      ]),
    ],
    Booked: [
      set('Booking number', '', { type: 'Random ID' }),
      say(
        'See you on **{{Day}} at {{Time}}**, {{Name}}! 🎉\nYour booking has the number {{Booking number}}.',
      ),
    ],
    Cancelled: [say('Nothing was booked. You are welcome any time. 👋')],
  },
})
