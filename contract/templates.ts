import { exampleFlow } from './bots/examples.ts'
import { botIcon, botName, flowOf, versionTag } from './bots/schemas.ts'
import { text } from './kit/fields.ts'
import { z } from './kit/zod.ts'
import { define, user } from './operation.ts'

const templateId = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[a-z0-9-]+$/, 'Expected the id of a template as the list has it, such as lead-form')
  .meta({
    minLength: 1,
    maxLength: 64,
    description: 'Id of the template, as the list of templates has it.',
    example: 'lead-form',
  })

const shape = {
  id: templateId,
  name: botName.meta({ description: 'Name of the template.', example: 'Lead form' }),
  icon: botIcon,
  description: text(500, 1).meta({
    description: 'One sentence about the template.',
    example: 'Finds out who asks and for what.',
  }),
  category: z
    .enum(['collect', 'support', 'engage'])
    .meta({ description: 'Purpose: to collect answers, to support people, or to engage them.' }),
  needs: z
    .array(text(500, 1).meta({ description: 'One setting.', example: 'Credentials of OpenAI' }))
    .max(10)
    .meta({ description: 'Settings to make before the bot can do everything; empty for most templates.' }),
}

const templateSummary = z
  .object(shape)
  .meta({ id: 'TemplateSummary', description: 'A template in a list, without its document.' })

const template = z
  .object({
    ...shape,
    bot: z
      .object({ version: versionTag('6.1'), name: botName, icon: botIcon, ...flowOf('6.1') })
      .meta({ id: 'TemplateBot', description: 'The bot of a template, as create takes it.' }),
  })
  .meta({ id: 'Template', description: 'A template with the bot that begins with it.' })

const exampleSummary = {
  id: 'lead-form',
  name: 'Lead form',
  icon: '🎯',
  description: 'Finds out who asks and for what.',
  category: 'collect' as const,
  needs: [],
}

export const templates = define({
  listTemplates: {
    method: 'get',
    path: '/v1/templates',
    tag: 'bots',
    summary: 'List the templates',
    description:
      'Returns the bots that the service offers as a start, without their flows. They are the same for all users, and change only with the version of the service.',
    access: user,
    success: {
      status: 200,
      description: 'The templates, the most general first.',
      body: z
        .object({ templates: z.array(templateSummary).max(100).meta({ description: 'The templates.' }) })
        .meta({ id: 'TemplateList', description: 'The templates of the service.' }),
      examples: { one: { summary: 'One of them', value: { templates: [exampleSummary] } } },
    },
  },
  getTemplate: {
    method: 'get',
    path: '/v1/templates/{templateId}',
    tag: 'bots',
    summary: 'Get a template',
    description:
      'Returns a template with its flow, theme and settings. Create bot takes `template.bot` as its `bot`, and import takes it as a file.',
    access: user,
    params: z.object({ templateId }),
    errors: ['NOT_FOUND'],
    success: {
      status: 200,
      description: 'The template with its bot.',
      body: z.object({ template }).meta({ id: 'TemplateBody', description: 'One template with its bot.' }),
      examples: {
        template: {
          summary: 'A template with a short flow',
          value: {
            template: {
              ...exampleSummary,
              bot: {
                version: '6.1',
                name: 'Lead form',
                icon: '🎯',
                ...exampleFlow,
                theme: {},
                settings: {},
              },
            },
          },
        },
      },
    },
  },
})
