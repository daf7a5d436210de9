// What the patch of the PostgreSQL driver guarantees (patches/README.md): a session that ends settles every query sent
// on it, and none reaches the next session. Without it, these hang, throw past every handler, or answer wrongly.

import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import postgres from 'postgres'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { type TestStore, testDatabase } from '../../support/stores.ts'

let database: TestStore
let killer: postgres.Sql
beforeAll(async () => {
  database = await testDatabase()
  killer = postgres(database.url, { max: 1, onnotice: () => {} })
  await killer`create table notes (text text)`
})
afterAll(async () => {
  await killer.end()
  await database.drop()
})

/** A query that can have its own timeout, which the patch of the driver adds. */
type Timed<T> = { timeout(seconds: number): Promise<T> }

const opened: postgres.Sql[] = []
afterEach(async () => {
  await Promise.all(opened.splice(0).map(sql => sql.end({ timeout: 0 })))
})

/** A client whose sockets the test can reach, the newest last. */
function clientWithSockets(
  options: Record<string, unknown> = {},
  onOpen: (socket: Socket) => void = () => {},
) {
  const sockets: Socket[] = []
  const { hostname, port } = new URL(database.url)
  const socket = async () => {
    const one = connect(Number(port), hostname)
    sockets.push(one)
    onOpen(one)
    await once(one, 'connect')
    return one
  }
  const sql = postgres(database.url, { max: 1, backoff: () => 0, socket, ...options } as never)
  opened.push(sql)
  return { sql, sockets }
}

/** Waits until queries are handed to their connection, which writes them in the next turn of the event loop. */
async function untilHandedOver(): Promise<void> {
  for (let i = 0; i < 10; i++) await Promise.resolve()
}

const codeOf = (query: Promise<unknown>) =>
  query.then(
    () => 'answered',
    error => error.code,
  )

it('a query not yet written when its socket closes is rejected, and the next one is answered', async () => {
  const { sql, sockets } = clientWithSockets()
  await sql`select 1`
  const asked = codeOf(sql`select 2`)
  await untilHandedOver()
  sockets[0]!.emit('close', false)
  expect(await asked).toBe('CONNECTION_CLOSED')
  expect([...(await sql`select 3 as n`)]).toEqual([{ n: 3 }])
  sockets[0]!.destroy()
})

it('a query sent between the error of a socket and its close is rejected, and the next one gets its own answer', async () => {
  const { sql, sockets } = clientWithSockets()
  await sql`select 1`
  sockets[0]!.emit('error', Object.assign(new Error('reset'), { code: 'ECONNRESET' }))
  const between = codeOf(sql`select 2`)
  await untilHandedOver()
  sockets[0]!.emit('close', true)
  sockets[0]!.destroy()
  expect(await between).toBe('CONNECTION_CLOSED')
  expect([...(await sql`select 3 as n`)]).toEqual([{ n: 3 }])
})

it('the error that ended a session is not reported to the first query of the next session', async () => {
  const { sql } = clientWithSockets()
  const [{ pid }] = (await sql`select pg_backend_pid() as pid`) as unknown as [{ pid: number }]
  const asleep = codeOf(sql`select pg_sleep(60)`)
  await running(pid)
  await killer`select pg_terminate_backend(${pid}::int)`
  expect(await asleep).toMatch(/^(57P01|CONNECTION_CLOSED)$/)
  expect([...(await sql`select 3 as n`)]).toEqual([{ n: 3 }])
})

it('queries of a transaction whose session was cut are rejected, and none of them runs in the next session', async () => {
  const { sql } = clientWithSockets()
  let later: string[] = []
  const transaction = sql.begin(async tx => {
    const [{ pid }] = (await tx`select pg_backend_pid() as pid`) as unknown as [{ pid: number }]
    await killer`select pg_terminate_backend(${pid}::int)`
    await tx`select 1`.catch(() => {})
    await sql`select 'another session'`
    later = await Promise.all([codeOf(tx`insert into notes values ('lost')`), codeOf(tx`select 2`)])
  })
  expect(await codeOf(transaction)).toBe('CONNECTION_CLOSED')
  await expect.poll(() => later).toEqual(['CONNECTION_CLOSED', 'CONNECTION_CLOSED'])
  expect([...(await sql`select text from notes`)]).toEqual([])
})

it('a session that is cut while it reads the types is replaced without an unhandled rejection', async () => {
  const { sql, sockets } = clientWithSockets({}, one => {
    const write = one.write.bind(one)
    one.write = ((bytes: Buffer, ...rest: never[]) => {
      if (sockets.length > 1 || !bytes.includes('typarray')) return write(bytes, ...rest)
      one.destroy()
      return true
    }) as Socket['write']
  })
  expect([...(await sql`select 3 as n`)]).toEqual([{ n: 3 }])
  expect(sockets).toHaveLength(2)
})

it('a query that times out is rejected and its connection replaced, even if the server stays silent', async () => {
  const silent = await startSilent()
  try {
    const sql = postgres(silent.url, { max: 1, backoff: () => 0, query_timeout: 0.2 } as never)
    opened.push(sql)
    expect(await codeOf(sql`select 1`)).toBe('QUERY_TIMEOUT')
    const queued = [codeOf(sql`select 1`), codeOf(sql`select 2`), codeOf(sql.begin(tx => tx`select 3`))]
    expect(await Promise.all(queued)).toEqual(['QUERY_TIMEOUT', 'QUERY_TIMEOUT', 'QUERY_TIMEOUT'])
    silent.speak()
    const answered = sql`select 3 as n` as unknown as Timed<{ n: number }[]>
    expect([...(await answered.timeout(30))]).toEqual([{ n: 3 }])
  } finally {
    silent.close()
  }
})

it('a query can have a longer timeout than the others of its client', async () => {
  const { sql } = clientWithSockets({ query_timeout: 0.1 })
  await codeOf(sql`select 1`)
  const patient = sql`select pg_sleep(0.2)` as unknown as Timed<unknown>
  expect(await codeOf(patient.timeout(30))).toBe('answered')
  expect(await codeOf(sql`select pg_sleep(30)`)).toBe('QUERY_TIMEOUT')
})

async function running(pid: number): Promise<void> {
  await expect
    .poll(async () => {
      const [row] = await killer`select state from pg_stat_activity where pid = ${pid}`
      return row?.state
    })
    .toBe('active')
}

/** Accepts every connection and answers nothing; after `speak()`, new connections reach the server. */
async function startSilent() {
  const url = new URL(database.url)
  const [host, port] = [url.hostname, Number(url.port)]
  let speaks = false
  const taken = new Set<Socket>()
  const server: Server = createServer(client => {
    taken.add(client)
    client.on('error', () => {})
    if (!speaks) return
    const upstream = connect(port, host)
    taken.add(upstream)
    upstream.on('error', () => client.destroy())
    client.pipe(upstream).pipe(client)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  url.port = String((server.address() as AddressInfo).port)
  url.hostname = '127.0.0.1'
  return {
    url: url.href,
    speak: () => {
      speaks = true
    },
    close() {
      server.close()
      for (const socket of taken) socket.destroy()
    },
  }
}

it('sequential queries share a connection, and so its prepared statements', async () => {
  const sql = postgres(database.url, { max: 3, onnotice: () => {} })
  opened.push(sql)
  const ask = async () => (await sql<{ pid: number }[]>`select pg_backend_pid() as pid`)[0]!.pid
  expect(new Set(await Promise.all([ask(), ask(), ask()])).size).toBe(3)
  expect(new Set([await ask(), await ask(), await ask(), await ask()]).size).toBe(1)
})

it('a query waits for the first free connection, not behind a long query', async () => {
  const sql = postgres(database.url, { max: 2, onnotice: () => {} })
  opened.push(sql)
  await Promise.all([sql`select 1`, sql`select 2`])
  await killer`select pg_advisory_lock(1), pg_advisory_lock(2)`
  const long = sql`select pg_advisory_lock(1)`.execute()
  const short = sql`select pg_advisory_lock(2)`.execute()
  const queued = [sql`select 1 as n`, sql`select 2 as n`, sql`select 3 as n`].map(query => query.execute())
  await killer`select pg_advisory_unlock(2)`
  await short
  expect((await Promise.all(queued)).map(([row]) => row!.n)).toEqual([1, 2, 3])
  await killer`select pg_advisory_unlock(1)`
  await long
})

it('queries issued together on a client of one connection, or in any transaction, are sent in one write', async () => {
  let writes = 0
  const counted = (one: Socket) => {
    const write = one.write.bind(one)
    one.write = ((...args: [never]) => {
      writes++
      return write(...args)
    }) as Socket['write']
  }
  const writesOf = async (ask: () => Promise<unknown>) => {
    const before = writes
    await ask()
    return writes - before
  }
  const one = clientWithSockets({}, counted)
  await one.sql`select 1`
  expect(await writesOf(() => Promise.all([one.sql`select 1`, one.sql`select 2`]))).toBe(1)
  const two = clientWithSockets({ max: 2 }, counted)
  await two.sql`select 1`
  const startedThenCommitted = 2
  const asked = () => two.sql.begin(tx => [tx`select 1`, tx`select 2`])
  expect(await writesOf(asked)).toBe(startedThenCommitted + 1)
})

it('a connection closed because it was idle is replaced, even if the server never closes its side', async () => {
  const { hostname, port } = new URL(database.url)
  const ended = Promise.withResolvers<void>()
  const taken: Socket[] = []
  const server = createServer({ allowHalfOpen: true }, client => {
    const upstream = connect(Number(port), hostname)
    taken.push(client, upstream)
    client.pipe(upstream, { end: false })
    upstream.pipe(client, { end: false })
    client.on('end', ended.resolve)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(database.url)
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const sql = postgres(url.href, { max: 1, idle_timeout: 0.05, backoff: () => 0 } as never)
  try {
    await sql`select 1`
    await ended.promise
    expect([...(await sql`select 3 as n`)]).toEqual([{ n: 3 }])
  } finally {
    await sql.end({ timeout: 0 })
    server.close()
    for (const socket of taken) socket.destroy()
  }
})
