import postgres from 'postgres'
import type { At } from './peer.ts'

/** One connection, for what is asked of a peer's tables. */
export const sqlOf = ({ databaseUrl }: At) => postgres(databaseUrl, { max: 1, onnotice: () => {} })
