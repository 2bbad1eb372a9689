import { ask, choose, option, type Part, say, template } from './flow.ts'

const answers: { title: string; question: string; answer: string }[] = [
  {
    title: 'Opening hours',
    question: '🕘 When are you open?',
    answer:
      'Monday to Friday from **9:00 to 18:00**, on Saturdays until 14:00. We are closed on public holidays.',
  },
  {
    title: 'Prices',
    question: '💶 What does it cost?',
    answer:
      'The basic plan is **free**. Teams pay 12 euros a month for each person, and can stop at any time.',
  },
  {
    title: 'Delivery',
    question: '📦 How long does delivery take?',
    answer: 'Two to four working days. Orders of more than **50 euros** are delivered without a charge.',
  },
  {
    title: 'Privacy',
    question: '🔒 What do you do with my data?',
    answer:
      'We keep what is needed for your order, and give nothing to others. We delete it when you ask us to.',
  },
]

const more = (): Part[] => [
  say('Do you have another question?'),
  choose('More', [
    option('Yes', 'Questions'),
    option('Ask a person', 'Ask a person'),
    option('No, thanks', 'Goodbye'),
  ]),
]

export const faq = template({
  id: 'faq',
  name: 'FAQ',
  icon: '💬',
  description:
    'Answers frequent questions as often as people like, and takes the ones that it does not know.',
  category: 'support',
  colours: ['#0369a1', '#eef8ff'],
  variables: { Question: undefined, More: undefined, 'Own question': undefined, Email: undefined },
  groups: {
    Welcome: [say('Hello! 💬 I know the answers to the most frequent questions.', { to: 'Questions' })],
    Questions: [
      say('What would you like to know?'),
      choose(
        'Question',
        [
          ...answers.map(({ question, title }) => option(question, title)),
          option('🤔 Something else', 'Ask a person'),
        ],
        { isSearchable: true, searchInputPlaceholder: 'Search the questions' },
      ),
    ],
    ...Object.fromEntries(
      answers.map(({ title, answer }): [string, Part[]] => [title, [say(answer), ...more()]]),
    ),
    'Ask a person': [
      say('Write your question, and we answer by e-mail.'),
      ask('text input', 'Own question', {
        isLong: true,
        labels: { placeholder: 'Your question', button: 'Continue' },
      }),
      say('What address shall the answer go to?'),
      ask('email input', 'Email', { labels: { placeholder: 'name@example.com', button: 'Send' } }),
      say('Thank you! The answer comes to **{{Email}}** within one working day.', { to: 'Goodbye' }),
    ],
    Goodbye: [say('Have a nice day! 👋')],
  },
  areButtonsStacked: true,
})
