// Creates the first account of an installation and prints its credentials, once. Run again with the same e-mail, it
// gives the same account a new password and a new key.
// Usage: node infra/node/first-account.ts [--email WHO-SIGNS-IN] [--name WHAT-IT-IS-CALLED]

import { parseArgs } from 'node:util'
import { bootstrapAccount, FIRST } from '../../shared/accounts/verbs/bootstrap.ts'
import { ExitError, endOf } from '../local/exit-error.ts'
import { openDatabase } from './connections.ts'
import { createContext } from './context.ts'
import { NO_STORES } from './no-stores.ts'
import { databaseFrom, readSettings } from './settings.ts'
import { refusalOf, refusalOfSchema } from './store-errors.ts'

function parsedOptions(): typeof FIRST {
  try {
    const { values } = parseArgs({
      options: {
        email: { type: 'string', default: FIRST.email },
        name: { type: 'string', default: FIRST.name },
      },
    })
    return values
  } catch (error) {
    throw new ExitError('unknown_option', (error as Error).message)
  }
}

async function start(): Promise<void> {
  const first = parsedOptions()
  const connections = { ...NO_STORES, ...openDatabase(databaseFrom(readSettings(process.env))) }
  try {
    const config = { base_url: '', master_key: '' } // no key: passwords and API keys are stored as hashes
    const writeLog = (line: string) => console.error(line) // standard output has the account alone
    const ctx = createContext({ connections, config, writeLog })
    console.log(JSON.stringify(await bootstrapAccount(ctx, first), null, 2))
  } finally {
    await connections.close()
  }
}

await start().catch(error => {
  const { line, code } = endOf(refusalOf(error) ?? refusalOfSchema(error) ?? error)
  console.error(line)
  process.exitCode = code
})
