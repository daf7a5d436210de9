// `npm start` whose data folder is on a disk that is full for a while.

import { spawnSync } from 'node:child_process'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import {
  alive,
  defer,
  local,
  npmStart,
  processesIn,
  start,
  stopAfterEach,
  UP_MS,
} from '../support/npm-start.ts'
import { freePort } from '../support/ports.ts'
import { smallDisk } from '../support/small-disk.ts'

stopAfterEach()

const MIB = 250 // PostgreSQL takes 45 of it before anything is submitted
const INPUT = 'x'.repeat(3000)

it('a full disk ends nothing: writes are refused, reads go on, and a start that finds no room waits for it', {
  timeout: 4 * UP_MS,
}, async context => {
  const disk = await smallDisk(MIB)
  if (disk === undefined) return context.skip('mounting a small disk takes rights that this user lacks')
  defer(async () => {
    await expect.poll(() => processesIn(disk.path), { timeout: UP_MS }).toEqual([])
    await disk.remove()
  })
  const dataDir = join(disk.path, 'data')
  const PORT = String(await freePort())
  const stack = await start(dataDir, { PORT })
  const { api_key, project_id } = await local(dataDir)
  const headers = { authorization: `Bearer ${api_key}`, 'content-type': 'application/json' }
  const ask = async (path: string, body?: object) => {
    const init = { headers, ...(body && { method: 'POST', body: JSON.stringify(body) }) }
    const response = await fetch(`${stack.url}${path}`, init).catch(() => undefined)
    const answer = await response?.json()
    return { status: response?.status, code: answer?.error?.code, id: answer?.id }
  }
  const { id: agent_id } = await ask('/v1/agents', { project_id, name: 'a', slug: 'a' })
  const submit = () => ask('/v1/batches', { agent_id, items: Array(2000).fill({ input: INPUT }) })

  await disk.fill()
  // The first may still find room in a segment of the log.
  await expect.poll(submit, { timeout: UP_MS }).toMatchObject({ status: 500, code: 'store_full' })
  expect(await ask('/v2/runs')).toMatchObject({ status: 200 })
  const [, stackPid] = stack.pids
  expect(await alive(stack.pids)).toEqual(stack.pids)

  process.kill(stackPid!, 'SIGKILL') // and PostgreSQL with it, which finds no room for its own files
  await expect
    .poll(() => ask('/v2/runs'), { timeout: UP_MS })
    .toMatchObject({ status: 500, code: 'store_unreachable' })
  await expect.poll(() => stack.errors.join('\n'), { timeout: UP_MS }).toContain('disk_full: the disk of ')
  expect(stack.errors.join('\n')).not.toMatch(/^ +at /m)

  await disk.empty()
  await expect.poll(() => ask('/v2/runs'), { timeout: UP_MS }).toMatchObject({ status: 200 })
  await expect.poll(submit, { timeout: UP_MS }).toMatchObject({ status: 202 })
})

it('a first start on a full disk says so, and waits for room', {
  timeout: 3 * UP_MS,
}, async context => {
  const disk = await smallDisk(1)
  if (disk === undefined) return context.skip('mounting a small disk takes rights that this user lacks')
  defer(() => disk.remove())
  await disk.fill()
  const npm = npmStart(join(disk.path, 'data'), {})
  let wrote = ''
  for (const out of [npm.stdout!, npm.stderr!])
    out.on('data', chunk => {
      wrote += chunk
    })
  await expect.poll(() => wrote, { timeout: UP_MS }).toMatch(/disk_full: .*\n.*is started again in/)
  expect(wrote).not.toMatch(/^ +at /m)
})

it('the command says in a sentence that what it writes found no room', { timeout: UP_MS }, async context => {
  const disk = await smallDisk(1)
  if (disk === undefined) return context.skip('mounting a small disk takes rights that this user lacks')
  defer(() => disk.remove())
  await disk.fill()
  const out = await open(join(disk.path, 'out'), 'w').catch(() => undefined)
  if (out === undefined) throw new Error('a full disk takes an empty file')
  const command = [join(import.meta.dirname, '../../shared/cli/main.ts'), 'completion', 'bash']
  const ended = spawnSync(process.execPath, command, { stdio: ['ignore', out.fd, 'pipe'], encoding: 'utf8' })
  await out.close()
  expect(ended.stderr).toMatch(/not_written.*no space is left on its disk/)
  expect([ended.status, /^ +at /m.test(ended.stderr)]).toEqual([2, false])
})
