import { comparisonOperator, logicalOperator } from '../conditions.ts'
import { component, id, list, oneOf, phrase, prose, reference, variableReference } from '../fields.ts'
import { block } from './block.ts'

/** The block that reads and writes a Google Sheets table. */

const cell = component('SheetCell', 'A cell of one row, named by its column.', {
  id: id('Id of the entry.', 'celEmail'),
  column: phrase('Title of the column.', 'Email').optional(),
  value: prose('Value of the cell; may hold placeholders.', '{{Email}}').optional(),
})

const filter = component('SheetFilter', 'Selects rows by their cells.', {
  comparisons: list(
    component('SheetComparison', 'Compares a cell of the row with a text.', {
      id: id('Id of the comparison.', 'cmpEmail'),
      column: phrase('Title of the column.', 'Email').optional(),
      comparisonOperator: comparisonOperator.optional(),
      value: prose('The text to compare with; may hold placeholders.', '{{Email}}').optional(),
    }),
    'Comparisons with the cells of a row.',
  ).optional(),
  logicalOperator: logicalOperator.optional(),
})

const optionsShape = {
  credentialsId: reference('Id of the credentials of the account.', 'crdSheets').optional(),
  spreadsheetId: reference('Id of the spreadsheet.', '1aBcD2eFgH').optional(),
  sheetId: reference('Id of the sheet in the spreadsheet.', '0').optional(),
  action: oneOf(
    ['Get data from sheet', 'Insert a row', 'Update a row'],
    'Action of the block. Without an action the block does nothing.',
  ).optional(),
  filter: filter.optional(),
  cellsToExtract: list(
    component('SheetExtraction', 'Stores one column of the found rows in a variable.', {
      id: id('Id of the entry.', 'extPrice'),
      column: phrase('Title of the column.', 'Price').optional(),
      variableId: variableReference('that stores the cells', 'varPrice').optional(),
    }),
    'With action Get data from sheet: columns and the variables that store them.',
  ).optional(),
  totalRowsToExtract: oneOf(
    ['All', 'First', 'Last', 'Random'],
    'With action Get data from sheet: rows to read of those found. Default All.',
  ).optional(),
  cellsToInsert: list(cell, 'With action Insert a row: the cells of the new row.').optional(),
  cellsToUpsert: list(cell, 'With action Update a row: the cells that change.').optional(),
}

/** Options of the older block, which include those of the newer one. */
export const sheetOptions = { ...optionsShape, referenceCell: cell.optional() }

const sheetsBlock = block(
  'GoogleSheetsBlock',
  'Google Sheets',
  'Reads or writes rows of a spreadsheet, with credentials of type google sheets.',
  {
    options: component(
      'GoogleSheetsOptions',
      'Table and the action on it. The action decides which other properties apply.',
      optionsShape,
    ).optional(),
  },
)

const legacySheetsBlock = block(
  'LegacyGoogleSheetsBlock',
  'Google Sheets',
  'Reads or writes rows of a spreadsheet, in versions 3, 4 and 5, with credentials of type google sheets.',
  {
    options: component(
      'LegacyGoogleSheetsOptions',
      'Table and the action on it, in versions 3, 4 and 5.',
      sheetOptions,
    ).optional(),
  },
)

export const sheets = { current: sheetsBlock, legacy: legacySheetsBlock } as const
