import { expect, it } from 'vitest'
import { codeOf, type StoreName, sayFault, storeFault } from './store-errors.ts'

const thrown = (message: string, code?: string) => Object.assign(new Error(message), { code })

it.for([
  ['DATABASE', thrown('password authentication failed for user "x"', '28P01'), 'postgres_refused_login'],
  ['DATABASE', thrown('database "x" does not exist', '3D000'), 'no_such_database'],
  ['DATABASE', thrown('unsupported startup parameter: statement_timeout', '08P01'), 'pooler_not_named'],
  ['DATABASE', thrown('no such database: x', '08P01'), 'no_such_database'],
  [
    'DATABASE',
    thrown(
      'server login has been failing, cached error: server login failed: FATAL password authentication failed for user "x" (server_login_retry)',
      '08P01',
    ),
    'postgres_refused_login',
  ],
  ['DATABASE', thrown('self-signed certificate', 'DEPTH_ZERO_SELF_SIGNED_CERT'), 'postgres_not_trusted'],
  ['REDIS', thrown('WRONGPASS invalid username-password pair or user is disabled.'), 'redis_refused_login'],
  ['REDIS', thrown("NOPERM User x has no permissions to run the 'eval' command"), 'redis_not_permitted'],
  ['REDIS', thrown('MOVED 3999 10.0.0.2:6379'), 'redis_is_a_cluster'],
  ['DATABASE', thrown('could not extend file: No space left on device', '53100'), 'postgres_disk_full'],
  ['DATABASE', thrown('cannot execute INSERT in a read-only transaction', '25006'), 'postgres_read_only'],
  ['REDIS', thrown('NOREPLICAS Not enough good replicas to write.'), 'redis_takes_no_writes'],
  ['REDIS', thrown("READONLY You can't write against a read only replica."), 'redis_is_a_replica'],
] as [StoreName, Error, string][])(
  'a %s error "%s" is recognised as %s, also as the cause of another error',
  ([store, error, code]) => {
    expect(storeFault(error, store)).toMatchObject({ code, fix: expect.stringMatching(/.{10}/) })
    expect(storeFault(new Error('a query failed', { cause: error }), store)).toMatchObject({ code })
  },
)

it('faults that may pass by themselves are marked, and a refused connection is no fault', () => {
  expect(storeFault(thrown('sorry, too many clients already', '53300'), 'DATABASE')).toMatchObject({
    passes: true,
  })
  for (const message of [
    'server login has been failing, cached error: connect failed (server_login_retry)',
    'query_wait_timeout',
  ])
    expect(storeFault(thrown(message, '08P01'), 'DATABASE')).toMatchObject({ passes: true })
  expect(storeFault(thrown('LOADING Redis is loading the dataset in memory'), 'REDIS')).toMatchObject({
    passes: true,
  })
  expect(storeFault(thrown('connect ECONNREFUSED 10.0.0.1:5432', 'ECONNREFUSED'), 'DATABASE')).toBeUndefined()
})

it('a fault is described in a sentence, and an error has the code of its innermost cause', () => {
  const fault = storeFault(thrown('x', '3D000'), 'DATABASE')!
  expect(sayFault('DATABASE', fault)).toMatch(
    /^PostgreSQL has no database of the name in DATABASE_URL: .+\.$/,
  )
  expect(codeOf(new Error('outer', { cause: thrown('inner', 'ECONNREFUSED') }))).toBe('ECONNREFUSED')
})
