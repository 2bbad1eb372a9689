// Made by `make generate` from the contract. Do not edit.
import type { operations as contract } from '../contract.ts'
import type { z } from '../../../../contract/kit/zod.ts'
import type { operations as wire } from './openapi.ts'

/** An error here names the operation, the part and the property that the contract and the document tell apart. */
type Fits<Wide, Narrow extends Wide> = Narrow
export type ContractFitsWire = Fits<Wire, Contract>
export type WireFitsContract = Fits<Contract, Wire>

interface Contract {
  createShelf: {
    body: z.input<(typeof contract)['createShelf']['body']>
    responseBody: z.output<(typeof contract)['createShelf']['success']['body']>
  }
  getShelf: {
    params: z.output<(typeof contract)['getShelf']['params']>
    responseBody: z.output<(typeof contract)['getShelf']['success']['body']>
  }
  updateShelf: {
    params: z.output<(typeof contract)['updateShelf']['params']>
    body: z.input<(typeof contract)['updateShelf']['body']>
    responseBody: z.output<(typeof contract)['updateShelf']['success']['body']>
  }
  listBooks: {
    params: z.output<(typeof contract)['listBooks']['params']>
    responseBody: z.output<(typeof contract)['listBooks']['success']['body']>
  }
  addBook: {
    params: z.output<(typeof contract)['addBook']['params']>
    body: z.input<(typeof contract)['addBook']['body']>
    responseBody: z.output<(typeof contract)['addBook']['success']['body']>
  }
  removeBook: {
    params: z.output<(typeof contract)['removeBook']['params']>
    responseBody: z.output<(typeof contract)['removeBook']['success']['body']>
  }
}

interface Wire {
  createShelf: {
    body: NonNullable<wire['createShelf']['requestBody']>['content']['application/json']
    responseBody: wire['createShelf']['responses'][201]['content']['application/json']
  }
  getShelf: {
    params: wire['getShelf']['parameters']['path']
    responseBody: wire['getShelf']['responses'][200]['content']['application/json']
  }
  updateShelf: {
    params: wire['updateShelf']['parameters']['path']
    body: NonNullable<wire['updateShelf']['requestBody']>['content']['application/json']
    responseBody: wire['updateShelf']['responses'][200]['content']['application/json']
  }
  listBooks: {
    params: wire['listBooks']['parameters']['path']
    responseBody: wire['listBooks']['responses'][200]['content']['application/json']
  }
  addBook: {
    params: wire['addBook']['parameters']['path']
    body: NonNullable<wire['addBook']['requestBody']>['content']['application/json']
    responseBody: wire['addBook']['responses'][201]['content']['application/json']
  }
  removeBook: {
    params: wire['removeBook']['parameters']['path']
    responseBody: wire['removeBook']['responses'][200]['content']['application/json']
  }
}
