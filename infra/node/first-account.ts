// Makes the first account of an installation and prints its credentials, once. Run again it gives the same account a
// new password and a new key.

import { bootstrapAccount } from '../../shared/engine/bootstrap.ts'
import { endOf } from '../local/refusal.ts'
import { openConnections } from './connections.ts'
import { createContext } from './context.ts'
import { readSettings, storesFrom } from './settings.ts'
import { refusalOf } from './store-trouble.ts'

async function start(): Promise<void> {
  const settings = readSettings(process.env)
  const connections = openConnections({ ...storesFrom(settings), pool: { sql: 1, db: 1, lanes: 1 } })
  try {
    const config = { base_url: '', master_key: settings.need('ASSAY_MASTER_KEY') }
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
