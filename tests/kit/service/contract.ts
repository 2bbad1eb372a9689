import type { DocumentSource } from '../../../contract/kit/emit/openapi.ts'
import {
  type Issue as KitIssue,
  errors as kitErrors,
  issueCodes as kitIssueCodes,
} from '../../../contract/kit/errors.ts'
import { name, recordId, text } from '../../../contract/kit/fields.ts'
import type * as kit from '../../../contract/kit/operation.ts'
import { z } from '../../../contract/kit/zod.ts'

/* A small service that is built with the kit alone: shelves, and the books on them. */

export type Role = 'OWNER' | 'READER'

export const scopes = ['read', 'write'] as const

/** The scope that a token needs: reads have one, writes the other. */
export const scopeOf = ({ method }: kit.Operation) => (method === 'get' ? 'read' : 'write')

type Access = { kind: 'user' } | { kind: 'shelf'; role: Role; missing: 'NOT_FOUND' }

export type AccessKind = Access['kind']

export interface Operation extends kit.Operation {
  access: Access
}

export const issueCodes = { ...kitIssueCodes, unknown_book: 'the shelf has no such book' } as const
export type Issue = KitIssue<keyof typeof issueCodes>

export type Handler<
  O extends kit.Contract & { access: AccessKind },
  Contexts extends Record<AccessKind, unknown>,
> = kit.Handler<O, Contexts[O['access']], Issue>

const define = <const Operations extends Record<string, Operation>>(operations: Operations) => operations

const exampleId = 'shelf_01jr5x0c8m9w3q7v'
const isbn = text(13, 10)
  .regex(/^[0-9]{9,12}[0-9X]$/, { error: 'Expected an ISBN without hyphens' })
  .meta({
    pattern: '^[0-9]{9,12}[0-9X]$',
    description: 'ISBN without hyphens.',
    example: '9780141439518',
  })
const shelf = z
  .object({
    id: recordId('Id of the shelf, from its creation.', exampleId),
    name: name('Name of the shelf.', 'Novels'),
  })
  .meta({ id: 'Shelf', description: 'A shelf with its name.' })
const book = z
  .object({ isbn, title: name('Title of the book.', 'Pride and Prejudice') })
  .meta({ id: 'Book', description: 'A book that is on a shelf.' })
const shelfParams = z.object({ shelfId: recordId('Id of the shelf, from its creation.', exampleId) })
const exampleShelf = { id: exampleId, name: 'Novels' }
const exampleBook = { isbn: '9780141439518', title: 'Pride and Prejudice' }
const shelfBody = z.object({ shelf }).meta({ id: 'ShelfBody', description: 'A shelf with its name.' })
const bookBody = z.object({ book }).meta({ id: 'BookBody', description: 'One book that is on a shelf.' })

const owner: Access = { kind: 'shelf', role: 'OWNER', missing: 'NOT_FOUND' }
const reader: Access = { kind: 'shelf', role: 'READER', missing: 'NOT_FOUND' }

export const shelves = define({
  createShelf: {
    method: 'post',
    path: '/v1/shelves',
    tag: 'shelves',
    summary: 'Create a shelf',
    description: 'Creates an empty shelf, of which the caller is the owner.',
    access: { kind: 'user' },
    body: z
      .strictObject({ name: name('Name of the shelf.', 'Novels') })
      .meta({ id: 'CreateShelfBody', description: 'The shelf to create.' }),
    success: {
      status: 201,
      description: 'The shelf was created.',
      body: shelfBody,
      location: '/v1/shelves/{shelf.id}',
      examples: { created: { summary: 'Created', value: { shelf: exampleShelf } } },
    },
    requestExamples: { novels: { summary: 'A shelf of novels', value: { name: 'Novels' } } },
  },
  getShelf: {
    method: 'get',
    path: '/v1/shelves/{shelfId}',
    tag: 'shelves',
    summary: 'Get a shelf',
    description: 'Returns a shelf without its books.',
    access: reader,
    params: shelfParams,
    isConditional: true,
    success: {
      status: 200,
      description: 'The shelf, without its books.',
      body: shelfBody,
      examples: { found: { summary: 'Found', value: { shelf: exampleShelf } } },
    },
  },
  updateShelf: {
    method: 'patch',
    path: '/v1/shelves/{shelfId}',
    tag: 'shelves',
    summary: 'Update a shelf',
    description: 'Gives a shelf another name.',
    access: owner,
    params: shelfParams,
    isConditional: true,
    body: z
      .strictObject({ name: name('Name of the shelf.', 'Poems') })
      .meta({ id: 'UpdateShelfBody', description: 'The name that the shelf gets.' }),
    success: {
      status: 200,
      description: 'The shelf with its name.',
      body: shelfBody,
      examples: { renamed: { summary: 'Renamed', value: { shelf: { ...exampleShelf, name: 'Poems' } } } },
    },
    requestExamples: { poems: { summary: 'A shelf of poems', value: { name: 'Poems' } } },
  },
})

export const books = define({
  listBooks: {
    method: 'get',
    path: '/v1/shelves/{shelfId}/books',
    tag: 'books',
    summary: 'List the books of a shelf',
    description: 'Returns all books of a shelf, by ISBN. A shelf has at most 100.',
    access: reader,
    params: shelfParams,
    success: {
      status: 200,
      description: 'All books of the shelf.',
      body: z
        .object({ books: z.array(book).max(100).meta({ description: 'The books.' }) })
        .meta({ id: 'BooksBody', description: 'All books of one shelf.' }),
      examples: { some: { summary: 'One book', value: { books: [exampleBook] } } },
    },
  },
  addBook: {
    method: 'post',
    path: '/v1/shelves/{shelfId}/books',
    tag: 'books',
    summary: 'Add a book',
    description: 'Puts a book on a shelf. A shelf has an ISBN once.',
    access: owner,
    params: shelfParams,
    body: z
      .strictObject({ isbn, title: name('Title of the book.', 'Pride and Prejudice') })
      .meta({ id: 'AddBookBody', description: 'The book to put on the shelf.' }),
    success: {
      status: 201,
      description: 'The book is on the shelf now.',
      body: bookBody,
      examples: { added: { summary: 'Added', value: { book: exampleBook } } },
    },
    errors: ['CONFLICT'],
    errorExamples: {
      CONFLICT: {
        summary: 'The shelf has this ISBN',
        issues: [{ path: ['body', 'isbn'], code: 'taken', message: 'The shelf has a book with this ISBN' }],
      },
    },
    requestExamples: { novel: { summary: 'A novel', value: exampleBook } },
  },
  removeBook: {
    method: 'delete',
    path: '/v1/shelves/{shelfId}/books/{isbn}',
    tag: 'books',
    summary: 'Remove a book',
    description: 'Takes a book off its shelf.',
    access: owner,
    params: shelfParams.extend({ isbn }),
    success: {
      status: 200,
      description: 'The book was removed.',
      body: bookBody,
      examples: { removed: { summary: 'Removed', value: { book: exampleBook } } },
    },
  },
})

export const operations = { ...shelves, ...books }

export const source: DocumentSource<Operation> = {
  title: 'Library',
  version: '1.0.0',
  summary: 'Shelves, and the books on them.',
  introduction: 'Send a token with every request. A shelf has an owner and readers.',
  about: {
    contact: { name: 'The library', url: 'https://library.example.com', email: 'help@library.example.com' },
    license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
  },
  operations,
  tags: {
    shelves: { name: 'Shelves', description: 'Places for books, each with an owner and readers.' },
    books: { name: 'Books', description: 'Books, each of them on one shelf.' },
  },
  errors: kitErrors,
  issueCodes,
  permissionOf: ({ access }) =>
    access.kind === 'user'
      ? 'Permission: any user.'
      : `Permission: ${access.role === 'OWNER' ? 'the owner' : 'an owner or a reader'} of the shelf.`,
  scopeOf,
  aboutTokens: 'A token of a user of the library.',
}
