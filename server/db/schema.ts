/*
 * The tables, in two kinds. Catalogue tables are small and have foreign keys among themselves. Bot tables are keyed by
 * the bot's id first and have none to each other, so that they can be distributed by it (`migrations/distribute.sql`).
 * Ids are text made by the service; times are set by the service, never by the database. Drizzle takes all of them as
 * one module.
 */

export * from './tables/bots.ts'
export * from './tables/catalogue.ts'
export * from './tables/chats.ts'
export * from './tables/chatwoot.ts'
export * from './tables/results.ts'
export * from './tables/sheets.ts'
export * from './tables/statistics.ts'
export * from './tables/webhooks.ts'
