// Migrates a database of the tests. Guarantee: only what tests throw away is accepted on a server that may lose commits.

import { migrate as migrateInstallation } from '../../infra/migrate.ts'

/** As `migrate` of the product, except that the shared server, which runs without fsync, is accepted. */
export const migrate = (databaseUrl: string, databaseCa?: string, upTo?: number): Promise<void> =>
  migrateInstallation(databaseUrl, databaseCa, upTo, true)

/** As a process, which a test may kill. */
if (import.meta.main) await migrate(process.env.DATABASE_URL!)
