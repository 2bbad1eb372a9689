import { ask, choose, option, type Part, say, set, template, variableId, when } from './flow.ts'

const model: Part = {
  type: 'openai',
  options: {
    action: 'Create chat completion',
    model: 'gpt-4o-mini',
    temperature: 0.3,
    messages: [
      {
        id: 'message-1',
        role: 'system',
        content:
          'You are the friendly assistant of a shop for plants. Answer in at most three sentences, in the language of the question. Say that you do not know when you are not sure, and never invent prices.',
      },
      { id: 'message-2', role: 'Dialogue', dialogueVariableId: variableId('Dialogue'), startsBy: 'user' },
    ],
    responseMapping: [{ id: 'mapping-1', item: 'Message content', variableId: variableId('Answer') }],
  },
}

export const aiAssistant = template({
  id: 'ai-assistant',
  name: 'AI assistant',
  icon: '✨',
  description: 'A language model answers in your words. Where it cannot, a person takes over by e-mail.',
  category: 'support',
  needs: ['Credentials of OpenAI, chosen in the block that asks the model'],
  colours: ['#6d28d9', '#f6f2ff'],
  variables: {
    Question: undefined,
    Dialogue: undefined,
    Answer: undefined,
    Next: undefined,
    'Open question': undefined,
    Email: undefined,
  },
  groups: {
    Welcome: [
      say(
        'Hello! ✨ I am an assistant with artificial intelligence. I can be wrong, so please check what matters.',
        {
          to: 'Question',
        },
      ),
    ],
    Question: [
      say('What would you like to know about plants?'),
      ask('text input', 'Question', {
        isLong: true,
        labels: { placeholder: 'Your question', button: 'Ask' },
      }),
      set('Answer', '', { type: 'Empty' }),
      set('Dialogue', '', { type: 'Append value(s)', item: '{{Question}}' }),
      model,
      when([['Answer', 'Is empty']], 'No answer'),
      set('Dialogue', '', { type: 'Append value(s)', item: '{{Answer}}' }),
      say('{{Answer}}'),
      choose('Next', [
        option('Another question', 'Question'),
        option('Talk to a person', 'Person'),
        option('That is all', 'Goodbye'),
      ]),
    ],
    'No answer': [say('I cannot answer at the moment. A person will.', { to: 'Person' })],
    Person: [
      say('What shall we answer?'),
      ask('text input', 'Open question', {
        isLong: true,
        labels: { placeholder: 'Your question', button: 'Continue' },
      }),
      say('What is your e-mail address?'),
      ask('email input', 'Email', { labels: { placeholder: 'name@example.com', button: 'Send' } }),
      say('Thank you! We write to **{{Email}}** within one working day.', { to: 'Goodbye' }),
    ],
    Goodbye: [say('Thank you for the chat! 🌿')],
  },
})
