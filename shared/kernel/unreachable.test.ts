import { expect, it } from 'vitest'
import {
  isDeadlock,
  isFull,
  isUnreachable,
  noteTrouble,
  onceMore,
  takesNoWrites,
  troubleOf,
} from './unreachable.ts'

const thrown = (message: string, code = '08P01') => Object.assign(new Error(message), { code })

it.for([
  ['query_wait_timeout', true, false, 1],
  ['client_login_timeout (server down)', true, false, 1],
  ['server conn crashed?', true, false, 1],
  ['server login has been failing, try again later (server_login_retry)', true, false, 2],
  ['server login has been failing, cached error: connect failed (server_login_retry)', true, false, 2],
  ['cannot connect to server', true, false, 2],
  [
    'server login has been failing, cached error: server login failed: FATAL password authentication failed for user "x" (server_login_retry)',
    false,
    false,
    1,
  ],
  ['bouncer config error', false, false, 1],
] as const)('a pooler’s error "%s" is classified', async ([message, unreachable, full, asked]) => {
  const error = thrown(message)
  expect([isUnreachable(error), isFull(error)]).toEqual([unreachable, full])
  let asks = 0
  const ask = async () => {
    asks++
    throw new Error('a query failed', { cause: error })
  }
  await expect(onceMore(ask)).rejects.toThrow('a query failed')
  expect(asks).toBe(asked)
})

it('a pooler that takes no more clients counts as full, and its message with another code is not recognised', () => {
  expect(isFull(thrown('no more connections allowed (max_client_conn)'))).toBe(true)
  expect(isUnreachable(thrown('query_wait_timeout', '42601'))).toBe(false)
})

it.for([
  ['turns out dead at once', 10, 2],
  ['ends after a long wait', 6000, 1],
] as const)('a read whose connection %s, in %i ms, is sent %i times', async ([, passes_ms, asked]) => {
  let [now_ms, asks] = [0, 0]
  const ask = async () => {
    asks++
    now_ms += passes_ms
    throw thrown('write CONNECTION_CLOSED', 'CONNECTION_CLOSED')
  }
  const clock = () => now_ms
  await expect(onceMore(ask, clock)).rejects.toThrow('CONNECTION_CLOSED')
  expect(asks).toBe(asked)
})

it.for([
  ['53100', 'could not extend file: No space left on device'],
  ['53200', 'out of memory'],
  ['25006', 'cannot execute INSERT in a read-only transaction'],
] as const)(
  'a PostgreSQL error %s means that it takes no writes now, and is unreachable rather than full',
  ([code, message]) => {
    const error = new Error('a query failed', { cause: thrown(message, code) })
    expect([takesNoWrites(error), isUnreachable(error), isFull(error)]).toEqual([true, true, false])
  },
)

it('trouble with a store is reported for ten seconds, and not after its clock was set back by an hour', () => {
  const host = {}
  const met = thrown('sorry, too many clients already', '53300')
  noteTrouble(host, met, 3_600_000)
  noteTrouble(host, thrown('syntax error', '42601'), 3_600_000)
  expect([3_600_000, 3_609_999, 3_610_000, 0].map(now => troubleOf(host, now))).toEqual([
    met,
    met,
    undefined,
    undefined,
  ])
})

it.for([
  ['08006', 'connection to the remote node postgres@127.0.0.1:5433 failed', true],
  ['XX000', 'failure on connection marked as essential: 127.0.0.1:5433', true],
  ['XX000', 'a failure on connection marked as essential', false],
  ['42601', 'failure on connection marked as essential: 127.0.0.1:5433', false],
  ['40P01', 'canceling the transaction since it was involved in a distributed deadlock', false],
] as const)('of a coordinator, %s "%s" says that it cannot be reached: %s', ([code, message, isAway]) => {
  const error = new Error('a query failed', { cause: thrown(message, code) })
  expect(isUnreachable(error)).toBe(isAway)
})

it('a transaction that PostgreSQL ended for others is distinguished from one that failed, whatever wraps it', () => {
  const ended = thrown('deadlock detected', '40P01')
  expect([ended, new Error('a query failed', { cause: ended })].map(isDeadlock)).toEqual([true, true])
  expect(isDeadlock(thrown('duplicate key value', '23505'))).toBe(false)
})
