import { ask, choose, option, say, set, template, when } from './flow.ts'

export const productFinder = template({
  id: 'product-finder',
  name: 'Product finder',
  icon: '🚲',
  description: 'Asks for use, ground and budget, and recommends the bicycle that fits.',
  category: 'engage',
  colours: ['#c2410c', '#fff7ed'],
  variables: {
    Use: undefined,
    Ground: undefined,
    Motor: undefined,
    Budget: undefined,
    Product: undefined,
    Price: undefined,
    Next: undefined,
    Email: undefined,
  },
  groups: {
    Welcome: [
      say('Let us find **your bicycle**! 🚲\nWhat do you want it for?'),
      choose('Use', ['To get to work', 'For sports', 'With children', 'For long journeys']),
      say('What ground do you ride on most?'),
      choose('Ground', ['Streets', 'Tracks and gravel', 'Mountains']),
      say('Would you like a motor to help you?'),
      choose('Motor', ['Yes', 'No']),
      say('How much may it cost?'),
      ask('number input', 'Budget', {
        min: 300,
        max: 20_000,
        style: 'currency',
        currency: 'EUR',
        labels: { placeholder: 'For example 1500', button: 'Find' },
      }),
      when(
        [
          ['Motor', 'Equal to', 'Yes'],
          ['Budget', 'Less than', '1800'],
        ],
        'Budget too small',
      ),
      when([['Motor', 'Equal to', 'Yes']], 'Electric'),
      when([['Use', 'Equal to', 'With children']], 'Cargo'),
      when([['Ground', 'Equal to', 'Mountains']], 'Mountain'),
      when(
        [
          ['Ground', 'Contains', 'gravel'],
          ['Use', 'Contains', 'journeys'],
        ],
        'Gravel',
        'OR',
      ),
      set('Product', 'City Classic'),
      set('Price', '690', {}, { to: 'Recommendation' }),
    ],
    'Budget too small': [
      say(
        'Good bicycles with a motor begin at **1,800 €**. I show you one without, which is light and fast.',
      ),
      set('Product', 'City Light'),
      set('Price', '890', {}, { to: 'Recommendation' }),
    ],
    Electric: [set('Product', 'E-Tour 500'), set('Price', '2,490', {}, { to: 'Recommendation' })],
    Cargo: [set('Product', 'Family Cargo'), set('Price', '1,690', {}, { to: 'Recommendation' })],
    Mountain: [set('Product', 'Trail 29'), set('Price', '1,390', {}, { to: 'Recommendation' })],
    Gravel: [set('Product', 'Gravel Explorer'), set('Price', '1,590', {}, { to: 'Recommendation' })],
    Recommendation: [
      say('I recommend the **{{Product}}** for {{Price}} €. 🎉'),
      say('What would you like to do?'),
      choose('Next', [
        option('Try it in the shop', 'Shop'),
        option('Send me the details', 'Details'),
        option('No, thank you', 'Goodbye'),
      ]),
    ],
    Shop: [
      say(
        'You are welcome any day from 10:00 to 18:00. Ask for the **{{Product}}**, and take it for a ride.',
        {
          to: 'Goodbye',
        },
      ),
    ],
    Details: [
      say('What is your e-mail address?'),
      ask('email input', 'Email', { labels: { placeholder: 'name@example.com', button: 'Send' } }),
      say('Thank you! Details of the {{Product}} come to **{{Email}}**.', { to: 'Goodbye' }),
    ],
    Goodbye: [say('Enjoy the ride! 🚲')],
  },
})
