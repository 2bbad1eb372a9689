import { ask, choose, compute, option, say, template, when } from './flow.ts'

export const calculator = template({
  id: 'calculator',
  name: 'Loan calculator',
  icon: '🧮',
  description: 'Computes a monthly payment from amount, rate and years, and says how it fits the income.',
  category: 'engage',
  colours: ['#15803d', '#f0fdf4'],
  variables: {
    Purpose: undefined,
    Amount: undefined,
    Rate: undefined,
    Years: undefined,
    Payment: undefined,
    Interest: undefined,
    Income: undefined,
    Share: undefined,
    Again: undefined,
    Email: undefined,
  },
  groups: {
    Welcome: [
      say('Let us see what your loan costs. 🧮\nWhat is it for?'),
      choose('Purpose', ['A home', 'A car', 'Something else'], {}, { to: 'Numbers' }),
    ],
    Numbers: [
      say('How much money do you need?'),
      ask('number input', 'Amount', {
        min: 1000,
        max: 5_000_000,
        style: 'currency',
        currency: 'EUR',
        labels: { placeholder: 'For example 20000', button: 'Continue' },
      }),
      say('At what rate of interest, in percent a year?'),
      ask('number input', 'Rate', {
        min: 0,
        max: 30,
        step: 0.05,
        labels: { placeholder: 'For example 3.5', button: 'Continue' },
      }),
      say('In how many years do you want to pay it back?'),
      ask('number input', 'Years', {
        min: 1,
        max: 40,
        step: 1,
        labels: { placeholder: 'For example 10', button: 'Continue' },
      }),
      compute(
        'Payment',
        'const months = Number({{Years}}) * 12\nconst rate = Number({{Rate}}) / 1200\nconst amount = Number({{Amount}})\nconst payment = rate === 0 ? amount / months : (amount * rate) / (1 - (1 + rate) ** -months)\nreturn payment.toFixed(2)',
      ),
      compute(
        'Interest',
        'return (Number({{Payment}}) * Number({{Years}}) * 12 - Number({{Amount}})).toFixed(2)',
      ),
      say('You pay **{{Payment}} € a month** for {{Years}} years.\nThe interest is {{Interest}} € in all.'),
      say('What is your income in a month? Then I can say how well it fits.'),
      ask('number input', 'Income', {
        min: 1,
        max: 1_000_000,
        style: 'currency',
        currency: 'EUR',
        labels: { placeholder: 'After taxes', button: 'Continue' },
      }),
      compute('Share', 'return Math.round((Number({{Payment}}) / Number({{Income}})) * 100)'),
      when([['Share', 'Greater than', '35']], 'Too high'),
      say('That is **{{Share}} %** of your income, which most banks find fine. ✅', { to: 'Next' }),
    ],
    'Too high': [
      say(
        'That is **{{Share}} %** of your income. Most banks want it to stay below 35 %. ⚠️\nMore years or a smaller amount help.',
        { to: 'Next' },
      ),
    ],
    Next: [
      say('What would you like to do now?'),
      choose('Again', [
        option('Try other numbers', 'Numbers'),
        option('Get an offer', 'Offer'),
        option('Nothing more', 'Goodbye'),
      ]),
    ],
    Offer: [
      say('What address may we send the offer to?'),
      ask('email input', 'Email', { labels: { placeholder: 'name@example.com', button: 'Send' } }),
      say('Thank you! The offer comes to **{{Email}}** within two working days.', { to: 'Goodbye' }),
    ],
    Goodbye: [say('Good luck with your plans! 🍀')],
  },
})
