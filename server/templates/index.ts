import { aiAssistant } from './ai-assistant.ts'
import { booking } from './booking.ts'
import { calculator } from './calculator.ts'
import { faq } from './faq.ts'
import { feedback } from './feedback.ts'
import type { Template } from './flow.ts'
import { leadForm } from './lead-form.ts'
import { newsletter } from './newsletter.ts'
import { onboarding } from './onboarding.ts'
import { productFinder } from './product-finder.ts'
import { quiz } from './quiz.ts'
import { support } from './support.ts'
import { survey } from './survey.ts'

/** Documents that bots begin with, in the order in which people see them. */
export const templates: Template[] = [
  leadForm,
  quiz,
  support,
  booking,
  survey,
  feedback,
  faq,
  onboarding,
  calculator,
  productFinder,
  aiAssistant,
  newsletter,
]

export const findTemplate = (id: string): Template | undefined =>
  templates.find((template) => template.id === id)
