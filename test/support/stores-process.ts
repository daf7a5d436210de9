// A process that holds the stores of one data folder, as the local stack does: prints one JSON line when they are up
// and stops them on a signal. Tests kill it.

import { openDataFolder } from '../../infra/local/data-folder.ts'
import { openStores } from '../../infra/local/stores.ts'
import { migrate } from '../../infra/migrate.ts'

try {
  const dataFolder = await openDataFolder(process.argv[2]!)
  const stores = await openStores({
    dataFolder,
    say: line => console.log(JSON.stringify({ said: line })),
    onLost(error) {
      throw error
    },
  })
  await migrate(stores.databaseUrl)
  console.log(JSON.stringify({ databaseUrl: stores.databaseUrl, redisUrl: stores.redisUrl }))
  process.once('SIGTERM', async () => {
    await stores.close()
    process.exit(0)
  })
} catch (error) {
  console.error(`${(error as { code?: string }).code}: ${(error as Error).message}`)
  process.exit(1)
}
