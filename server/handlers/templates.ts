import type { TemplatesHandlers } from '../../generated/handlers.ts'
import type { Contexts } from '../context.ts'
import { asProperty, JsonText } from '../kit/json/json-text.ts'
import type { Template } from '../templates/flow.ts'
import { templates as all, findTemplate } from '../templates/index.ts'

const toSummary = ({ bot: _, ...about }: Template) => ({ ...about, needs: about.needs ?? [] })

export const templates: TemplatesHandlers<Contexts> = {
  async listTemplates(_request, respond) {
    return respond.ok({ templates: all.map(toSummary) })
  },

  async getTemplate({ params }, respond) {
    const template = findTemplate(params.templateId)
    if (!template) return respond.fail('NOT_FOUND')
    return respond.ok({
      template: { ...toSummary(template), bot: asProperty(new JsonText(JSON.stringify(template.bot))) },
    })
  },
}
