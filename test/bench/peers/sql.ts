import postgres from 'postgres'
import type { At } from './peer.ts'

/** One connection for the bench's queries on a peer's tables. */
export const sqlOf = ({ databaseUrl }: At) => postgres(databaseUrl, { max: 1, onnotice: () => {} })
