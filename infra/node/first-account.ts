// Makes the first account of an installation and prints its credentials, once. Run again it gives the same account a
// new password and a new key.

import { bootstrapAccount } from '../../shared/engine/bootstrap.ts'
import { endOf } from '../local/refusal.ts'
import { openDatabase } from './connections.ts'
import { createContext } from './context.ts'
import { NO_STORES } from './no-stores.ts'
import { databaseFrom, readSettings } from './settings.ts'
import { refusalOf } from './store-trouble.ts'

async function start(): Promise<void> {
  const connections = { ...NO_STORES, ...openDatabase(databaseFrom(readSettings(process.env))) }
  try {
    const config = { base_url: '', master_key: '' } // passwords and keys of callers are stored as hashes
    console.log(JSON.stringify(await bootstrapAccount(createContext({ connections, config })), null, 2))
  } finally {
    await connections.close()
  }
}

await start().catch(error => {
  const { line, code } = endOf(refusalOf(error) ?? error)
  console.error(line)
  process.exitCode = code
})
