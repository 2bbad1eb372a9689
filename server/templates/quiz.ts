import { choose, compute, option, type Part, say, set, template, when } from './flow.ts'

/** Each with its right answer first; `order` is the position at which it is shown. */
const questions: { question: string; answers: [string, string, string]; order: number; reason: string }[] = [
  {
    question: 'Which city is the capital of Australia?',
    answers: ['Canberra', 'Sydney', 'Melbourne'],
    order: 1,
    reason: 'Canberra was founded as the capital, since Sydney and Melbourne both wanted to be it.',
  },
  {
    question: 'Which planet has the shortest day?',
    answers: ['Jupiter', 'Mercury', 'Mars'],
    order: 0,
    reason: 'Jupiter turns once in less than ten hours.',
  },
  {
    question: 'How many strings does a violin have?',
    answers: ['Four', 'Five', 'Six'],
    order: 2,
    reason: 'They are tuned to G, D, A and E.',
  },
  {
    question: 'Which ocean is the deepest?',
    answers: ['The Pacific', 'The Atlantic', 'The Indian Ocean'],
    order: 1,
    reason: 'The Mariana Trench in the Pacific is almost 11 kilometres deep.',
  },
]

const groupOf = (index: number) => (index < questions.length ? `Question ${index + 1}` : 'Result')

const rounds = questions.map(({ question, answers, order, reason }, index): Record<string, Part[]> => {
  const [right, ...wrong] = answers
  const buttons: (string | Part)[] = wrong.map((answer) => option(answer, `Wrong ${index + 1}`))
  buttons.splice(order, 0, option(right, `Right ${index + 1}`))
  return {
    [groupOf(index)]: [
      say(`**${index + 1} of ${questions.length}**\n${question}`),
      choose(`Answer ${index + 1}`, buttons),
    ],
    [`Right ${index + 1}`]: [
      compute('Score', 'Number({{Score}}) + 1'),
      say(`✅ Right! ${reason}`, { to: groupOf(index + 1) }),
    ],
    [`Wrong ${index + 1}`]: [say(`❌ Not quite: it is **${right}**. ${reason}`, { to: groupOf(index + 1) })],
  }
})

export const quiz = template({
  id: 'quiz',
  name: 'Quiz',
  icon: '🧠',
  description: 'Four questions with an explanation after each, a score, and three different endings.',
  category: 'engage',
  colours: ['#7c3aed', '#f5f0ff'],
  variables: {
    Ready: undefined,
    Score: '0',
    ...Object.fromEntries(questions.map((_, index) => [`Answer ${index + 1}`, undefined])),
    Level: undefined,
  },
  groups: {
    Welcome: [
      say(`Welcome to the **two-minute quiz**! 🧠\n${questions.length} questions, three answers each.`),
      choose('Ready', [option('Start', groupOf(0))]),
    ],
    ...Object.assign({}, ...rounds),
    Result: [
      say(`You have **{{Score}} of ${questions.length}** right.`),
      when([['Score', 'Equal to', String(questions.length)]], 'Perfect'),
      when([['Score', 'Greater or equal to', '2']], 'Good'),
      set('Level', 'Beginner'),
      say('Everybody starts somewhere. Now you know four things more! 🌱'),
    ],
    Perfect: [set('Level', 'Expert'), say('Perfect! 🏆 Nobody can tell you anything about the world.')],
    Good: [set('Level', 'Advanced'), say('Well done! 👏 That is more than most people know.')],
  },
})
