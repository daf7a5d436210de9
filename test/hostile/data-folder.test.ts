// A data folder that came from somebody else: PostgreSQL starts in it with settings of ours alone, whatever files lie
// there.

import { appendFile, lstat, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import postgres from 'postgres'
import { expect, it } from 'vitest'
import { startPostgres } from '../../infra/local/postgres.ts'
import { tempFolder } from '../support/temp-folder.ts'

const PROGRAM = 'touch /tmp/ran'

it('no file of a found folder sets anything, names a program, opens a door or is written through', async () => {
  const folder = await tempFolder()
  await using _ = { [Symbol.asyncDispose]: folder.remove }
  const [theirs, ours] = [join(folder.path, 'postgres'), join(folder.path, 'private')]
  const first = await startPostgres({ dataDir: folder.path })
  await first.stop()
  const settings = `archive_mode = on\narchive_command = '${PROGRAM}'\nssl = on\nssl_passphrase_command = '${PROGRAM}'\nsession_preload_libraries = 'nowhere'\nlisten_addresses = '*'\n`
  await writeFile(join(theirs, 'postgresql.auto.conf'), settings)
  await appendFile(join(theirs, 'postgresql.conf'), `${settings}include 'more.conf'\n`)
  await writeFile(join(theirs, 'more.conf'), settings)
  await writeFile(join(theirs, 'pg_hba.conf'), 'host all all 0.0.0.0/0 trust\n')
  await writeFile(ours, 'private')
  await rm(join(theirs, 'pg_ident.conf'))
  await symlink(ours, join(theirs, 'pg_ident.conf'))

  const store = await startPostgres({ dataDir: folder.path })
  const sql = postgres(store.url, { max: 1 })
  try {
    const found = await sql`
      select name, setting from pg_settings where sourcefile !~ '/postgresql.conf$'
        or name ~ '_command$' and setting not in ('', '(disabled)') or name ~ '_preload_libraries$' and setting <> ''
        or name = 'archive_mode' and setting <> 'off' or name = 'listen_addresses' and setting <> '127.0.0.1'
        or name = 'ssl' and setting = 'on'`
    expect([...found]).toEqual([])
    const doors = await sql`select type, auth_method, address from pg_hba_file_rules`
    expect([...doors]).toEqual([{ type: 'host', auth_method: 'scram-sha-256', address: '127.0.0.1' }])
    await expect(sql`alter system set archive_command = 'true'`).rejects.toThrow(
      /ALTER SYSTEM is not allowed/,
    )
    expect(await readFile(ours, 'utf8')).toBe('private')
    expect((await lstat(join(theirs, 'pg_ident.conf'))).isFile()).toBe(true)
  } finally {
    await sql.end()
    await store.stop()
  }
})
