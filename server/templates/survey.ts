import { ask, choose, say, set, template, when } from './flow.ts'

export const survey = template({
  id: 'survey',
  name: 'Survey with NPS',
  icon: '📊',
  description: 'Asks how likely people are to recommend you, and the question that fits their answer.',
  category: 'collect',
  colours: ['#4338ca', '#f1f1ff'],
  variables: {
    NPS: undefined,
    Group: undefined,
    Reason: undefined,
    Features: undefined,
    Frequency: undefined,
    Comment: undefined,
  },
  groups: {
    Welcome: [
      say('Thank you for taking **two minutes** for us. Your answers are anonymous.'),
      say('How likely is it that you recommend us to a friend or colleague?'),
      ask('rating input', 'NPS', {
        length: 10,
        startsAt: 0,
        isOneClickSubmitEnabled: true,
        labels: { left: 'Not likely', right: 'Very likely' },
      }),
      when([['NPS', 'Greater or equal to', '9']], 'Promoters'),
      when([['NPS', 'Greater or equal to', '7']], 'Passives'),
      set('Group', 'Detractor', {}, { to: 'Detractors' }),
    ],
    Promoters: [
      set('Group', 'Promoter'),
      say('That makes our day! 🎉 What do you like best?'),
      ask(
        'text input',
        'Reason',
        { isLong: true, labels: { placeholder: 'I like …', button: 'Continue' } },
        {
          to: 'Usage',
        },
      ),
    ],
    Passives: [
      set('Group', 'Passive'),
      say('Thank you! What is missing to a 10?'),
      ask(
        'text input',
        'Reason',
        { isLong: true, labels: { placeholder: 'I miss …', button: 'Continue' } },
        {
          to: 'Usage',
        },
      ),
    ],
    Detractors: [
      say('We are sorry to hear that. What disappointed you most?'),
      choose(
        'Reason',
        ['The price', 'The quality', 'The service', 'It is hard to use', 'Something else'],
        { isMultipleChoice: true, buttonLabel: 'Continue' },
        { to: 'Usage' },
      ),
    ],
    Usage: [
      say('How often do you use our product?'),
      choose('Frequency', ['Every day', 'Every week', 'Every month', 'Less often']),
      say('What do you use it for? You can choose more than one.'),
      choose('Features', ['Planning', 'Reports', 'Sharing with others', 'The app on my phone'], {
        isMultipleChoice: true,
        buttonLabel: 'Continue',
      }),
      say('Is there anything else that you want to tell us?'),
      ask('text input', 'Comment', {
        isLong: true,
        labels: { placeholder: 'Anything at all', button: 'Send' },
      }),
      when([['Group', 'Equal to', 'Promoter']], 'Recommend'),
      say('Thank you! Your answers help us to get better. 🙏'),
    ],
    Recommend: [
      say(
        'Thank you! 🙏\nIf you know somebody who would like it too, just send them the address of our site.',
      ),
    ],
  },
  settings: { typingEmulation: { enabled: true, speed: 500, maxDelay: 1 } },
})
