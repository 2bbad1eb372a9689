import { z } from '../kit/zod.ts'
import { component, flag, id, list, prose, variableReference } from './fields.ts'

export const comparisonOperator = z
  .enum([
    'Equal to',
    'Not equal',
    'Contains',
    'Does not contain',
    'Greater than',
    'Greater or equal to',
    'Less than',
    'Less or equal to',
    'Is set',
    'Is empty',
    'Starts with',
    'Ends with',
    'Matches regex',
    'Does not match regex',
  ])
  .meta({
    id: 'ComparisonOperator',
    description:
      'Operator that compares two values. Order operators compare numbers, then dates, then lengths. Is set and Is empty ignore the right side.',
  })

export const logicalOperator = z.enum(['OR', 'AND']).meta({
  id: 'LogicalOperator',
  description: 'Operator that joins comparisons: one must hold (OR) or all must hold (AND). Default AND.',
})

const comparison = component(
  'Comparison',
  'Compares the value of a variable with a text. It does not hold if the variable or the operator is missing.',
  {
    id: id('Id of the comparison.', 'cmpIsAdult'),
    variableId: variableReference('on the left side', 'varAge').optional(),
    comparisonOperator: comparisonOperator.optional(),
    value: prose(
      'The right side; may hold placeholders. The texts `null` and `undefined` mean no value.',
      '18',
    ).optional(),
  },
)

export const condition = component(
  'Condition',
  'Comparisons joined by one operator. Without comparisons it does not hold.',
  {
    logicalOperator: logicalOperator.optional(),
    comparisons: list(comparison, 'The comparisons, in any order.').optional(),
  },
)

export const displayCondition = component('DisplayCondition', 'Shows an item only while a condition holds.', {
  isEnabled: flag('True if the condition applies. Default false: the chat always shows the item.').optional(),
  condition: condition.optional(),
})
