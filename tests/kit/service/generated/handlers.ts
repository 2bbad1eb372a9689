// Made by `make generate` from the contract. Do not edit.
import type { operations as contract } from '../contract.ts'
import type { z } from '../../../../contract/kit/zod.ts'
import type { AccessKind, Handler } from '../contract.ts'
import type { operations as wire } from './openapi.ts'

/** Create a shelf: POST /v1/shelves */
export interface CreateShelf {
  access: 'user'
  params: undefined
  query: undefined
  body: z.output<(typeof contract)['createShelf']['body']>
  responseBody: wire['createShelf']['responses'][201]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** Get a shelf: GET /v1/shelves/{shelfId} */
export interface GetShelf {
  access: 'shelf'
  params: z.output<(typeof contract)['getShelf']['params']>
  query: undefined
  body: undefined
  responseBody: wire['getShelf']['responses'][200]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'PRECONDITION_FAILED' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** Update a shelf: PATCH /v1/shelves/{shelfId} */
export interface UpdateShelf {
  access: 'shelf'
  params: z.output<(typeof contract)['updateShelf']['params']>
  query: undefined
  body: z.output<(typeof contract)['updateShelf']['body']>
  responseBody: wire['updateShelf']['responses'][200]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'PRECONDITION_FAILED' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** List the books of a shelf: GET /v1/shelves/{shelfId}/books */
export interface ListBooks {
  access: 'shelf'
  params: z.output<(typeof contract)['listBooks']['params']>
  query: undefined
  body: undefined
  responseBody: wire['listBooks']['responses'][200]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** Add a book: POST /v1/shelves/{shelfId}/books */
export interface AddBook {
  access: 'shelf'
  params: z.output<(typeof contract)['addBook']['params']>
  query: undefined
  body: z.output<(typeof contract)['addBook']['body']>
  responseBody: wire['addBook']['responses'][201]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'CONFLICT' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

/** Remove a book: DELETE /v1/shelves/{shelfId}/books/{isbn} */
export interface RemoveBook {
  access: 'shelf'
  params: z.output<(typeof contract)['removeBook']['params']>
  query: undefined
  body: undefined
  responseBody: wire['removeBook']['responses'][200]['content']['application/json']
  minimal: never
  error: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}

export interface ShelvesHandlers<Contexts extends Record<AccessKind, unknown>> {
  /** POST /v1/shelves */
  createShelf: Handler<CreateShelf, Contexts>
  /** GET /v1/shelves/{shelfId} */
  getShelf: Handler<GetShelf, Contexts>
  /** PATCH /v1/shelves/{shelfId} */
  updateShelf: Handler<UpdateShelf, Contexts>
}

export interface BooksHandlers<Contexts extends Record<AccessKind, unknown>> {
  /** GET /v1/shelves/{shelfId}/books */
  listBooks: Handler<ListBooks, Contexts>
  /** POST /v1/shelves/{shelfId}/books */
  addBook: Handler<AddBook, Contexts>
  /** DELETE /v1/shelves/{shelfId}/books/{isbn} */
  removeBook: Handler<RemoveBook, Contexts>
}

export type Handlers<Contexts extends Record<AccessKind, unknown>> = ShelvesHandlers<Contexts> & BooksHandlers<Contexts>

/** Every operation with the codes it can return, for the cases that replay them. */
export interface OperationErrors {
  createShelf: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  getShelf: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'PRECONDITION_FAILED' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  updateShelf: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'PRECONDITION_FAILED' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  listBooks: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  addBook: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'CONFLICT' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
  removeBook: 'BAD_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'TOO_MANY_REQUESTS' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE'
}
