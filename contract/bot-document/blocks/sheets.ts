import { comparisonOperator, logicalOperator } from '../conditions.ts'
import { component, id, list, oneOf, phrase, prose, reference, variableReference } from '../fields.ts'
import { block } from './block.ts'

/** The block that reads and writes a Google Sheets table. */

const cell = component('SheetCell', 'A cell of one row, named by its column.', {
  id: id('Id of the entry.', 'celEmail'),
  column: phrase('Title of the column.', 'Email').optional(),
  value: prose('Value of the cell; may hold placeholders.', '{{Email}}').optional(),
})

const filter = component('SheetFilter', 'Which rows are meant.', {
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
    'What is done. Absent: nothing yet.',
  ).optional(),
  filter: filter.optional(),
  cellsToExtract: list(
    component('SheetExtraction', 'Stores one column of the found rows in a variable.', {
      id: id('Id of the entry.', 'extPrice'),
      column: phrase('Title of the column.', 'Price').optional(),
      variableId: variableReference('that takes the cells', 'varPrice').optional(),
    }),
    'With action Get data from sheet: which columns are stored where.',
  ).optional(),
  totalRowsToExtract: oneOf(
    ['All', 'First', 'Last', 'Random'],
    'With action Get data from sheet: which of the found rows are read. Default All.',
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
      'Which table is meant and what is done with it. The action tells which of the other properties are read.',
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
      'Which table is meant and what is done with it, in versions 3, 4 and 5.',
      sheetOptions,
    ).optional(),
  },
)

export const sheets = { current: sheetsBlock, legacy: legacySheetsBlock } as const
