import { beforeAll, describe, expect, it } from 'vitest'
import type { Operation } from './contract.ts'
import { OPERATOR_KEY } from './hosts.ts'
import { inFlight } from './in-flight.ts'
import type { Given } from './suite.ts'
import { FILTERS, NAMING, PATH, ROWS, type Row } from './sweep-rows.ts'
import { makeTenants, type Tenant } from './sweep-tenants.ts'
import type { Answer, Call, World } from './world.ts'

const UNKNOWN = '01900000-0000-7000-8000-000000000001'

/** Without a caller's credentials: a trigger's sender has the secret of the trigger, an agent its answer address. */
const OPEN = [
  'answerItems',
  'createSession',
  'fireTrigger',
  'getHealth',
  'getReadiness',
  'getServing',
  'refreshSession',
  'usePasswordLink',
]

export interface Swept {
  id: string
  method: string
  path: string
  row: Row
  params: string[]
  query: string[]
  operation: Operation
}

/**
 * Calls every operation of the OpenAPI document as every kind of caller, for every kind of thing of every other tenant:
 * 403 for another project of the account, 404 for another account, as for what does not exist.
 */
export function sweepPart(given: Given): void {
  describe('every operation of the document', () => {
    let world: World
    let tenants: Tenant[]
    let operations: Swept[]
    beforeAll(async () => {
      world = given()
      tenants = await makeTenants(world)
      operations = operationsOf(world)
    }, 120_000)

    it('has a row that says what it can name, and so has every parameter', () => {
      const missing = operations.flatMap(({ id, params, query }) => [
        ...(ROWS[id] === undefined ? [`operation ${id}`] : []),
        ...params.filter(name => PATH[name] === undefined).map(name => `path parameter ${name} of ${id}`),
        ...query.filter(name => FILTERS[name] === undefined).map(name => `query parameter ${name} of ${id}`),
      ])
      expect(missing).toEqual([])
    })

    it('answers 401 without credentials or with bad ones, and 403 to a key where a member must sign in [auth.bearer, auth.unauthenticated]', async () => {
      const open = operations.filter(
        ({ operation, row }) => operation.security !== undefined && !row.operator,
      )
      expect(open.map(({ id }) => id).sort()).toEqual(OPEN)
      const closed = operations.filter(swept => !open.includes(swept))
      await inFlight(closed, async swept => {
        const ask = (token: string | null) => asked(world, swept, tenants[0]!, token)
        for (const token of [null, 'pk_unknown', 'word']) {
          const answer = await ask(token)
          expect([swept.id, answer.status]).toEqual([swept.id, 401])
        }
        const refused = swept.row.operator ? ['key', 'session'] : swept.row.session ? ['key'] : []
        for (const kind of refused as ('key' | 'session')[])
          expect([swept.id, (await ask(tenants[0]![kind])).status]).toEqual([swept.id, 403])
      })
    }, 120_000)

    it('refuses things of another project in its path, and answers 404 for those of another account [auth.other-project, keys.one-project, errors.403, errors.404]', async () => {
      // The sender of a trigger is no tenant: it has the trigger's secret, which other tests check.
      const tenantsOwn = operations.filter(({ operation }) => operation.security === undefined)
      const named = tenantsOwn.flatMap(swept => swept.params.map(name => [swept, name] as const))
      await inFlight(named, ([swept, name]) =>
        refuses(swept, name, (of, by) => ({
          params: { [name]: by === null ? UNKNOWN : PATH[name]!.value(of) },
        })),
      )
    }, 240_000)

    it('answers an id that cannot exist like one that does not [errors.404]', async () => {
      const named = operations.flatMap(swept => swept.params.map(name => [swept, name] as const))
      await inFlight(named, async ([swept, name]) => {
        const token = tokenFor(swept, tenants[0]!)
        const ask = (id: string) => asked(world, swept, tenants[0]!, token, { params: { [name]: id } })
        const unknown = await ask(UNKNOWN)
        expect([swept.id, unknown.status]).toEqual([swept.id, 404])
        for (const id of ['not-an-id', "'%20OR%201=1--", '..%2F..%2Fetc', '%00', `${UNKNOWN}0`]) {
          expect([swept.id, id, comparable(await ask(id))]).toEqual([swept.id, id, comparable(unknown)])
        }
      })
    }, 120_000)

    it('refuses things of others in its body and its query [auth.other-project, keys.one-project, errors.403, errors.404]', async () => {
      await inFlight(operations, async swept => {
        for (const name of swept.row.names ?? []) {
          await refuses(swept, name, (of, by) => ({
            body: { [name]: by === null ? UNKNOWN : swept.row.body!(of)[name] },
          }))
        }
        for (const name of swept.query.filter(name => NAMING.includes(name))) {
          await refuses(swept, name, (of, by) => ({
            query: { [name]: by === null ? UNKNOWN : FILTERS[name]!(of) },
          }))
        }
      })
    }, 240_000)

    it('shows nothing of others in a list, whatever the filter', async () => {
      const lists = operations.filter(({ method, operation }) => method === 'get' && !operation.security)
      // One request of each at a time: an account may have few streams of results.
      await inFlight(lists, async swept => {
        const filters = swept.query.filter(name => FILTERS[name] && !NAMING.includes(name))
        for (const [by, token, of] of pairs(tenants, swept)) {
          for (const name of [null, ...filters]) {
            const query = name === null ? {} : { [name]: FILTERS[name]!(of) }
            const answer = await asked(world, swept, by, token, { query })
            expect([swept.id, name, answer.status]).toEqual([swept.id, name, 200])
            // A session sees both projects of its account.
            if (token === by.session && of.account_id === by.account_id) continue
            for (const secret of [of.project_id, of.agent_id, of.run_id.slice(0, 28), of.word, of.key_id]) {
              const leaks = answer.text.includes(secret) && !Object.values(query).includes(secret)
              expect([swept.id, name, secret, leaks]).toEqual([swept.id, name, secret, false])
            }
          }
        }
      })
    }, 240_000)

    it('accepts a cursor only from the caller and with the filters it was made for [limits.cursor]', async () => {
      const paged = operations.filter(({ query, row }) => query.includes('cursor') && !row.operator)
      await inFlight(paged, async swept => {
        const [own, sibling, stranger] = [tenants[0]!, tenants[1]!, tenants[2]!]
        // A list for members only belongs to the account, which the sibling shares.
        const isOfAccount = swept.row.session === true
        const token = tokenFor(swept, own)
        const first = await asked(world, swept, own, token, { query: { limit: '1' } })
        const cursor: string | null = first.json?.next_cursor ?? first.headers.get('x-next-cursor')
        expect([swept.id, typeof cursor]).toEqual([swept.id, 'string'])
        const ask = async (as: Tenant, token: string, query: object = {}) => {
          const answer = await asked(world, swept, as, token, {
            query: { limit: '1', cursor: cursor!, ...query },
          })
          return [swept.id, answer.status, answer.json?.error?.code]
        }
        expect((await ask(own, token))[1]).toBe(200)
        const refused = [swept.id, 400, 'invalid_cursor']
        // A path of another tenant is refused before the cursor is read.
        if (!isOfAccount) {
          expect(await ask(sibling, sibling.key)).toEqual(refused)
          expect(await ask(stranger, stranger.key)).toEqual(refused)
        }
        expect(await ask(stranger, stranger.session)).toEqual(refused)
        const edited = `${cursor!.startsWith('A') ? 'B' : 'A'}${cursor!.slice(1)}`
        for (const other of [edited, `${cursor!}AAAA`, cursor!.slice(0, -4), 'x', '%00']) {
          expect(await ask(own, token, { cursor: other })).toEqual(refused)
        }
        const filter = swept.query.find(name => FILTERS[name] && !NAMING.includes(name))
        if (filter) expect(await ask(own, token, { [filter]: FILTERS[filter]!(own) })).toEqual(refused)
      })
    }, 120_000)

    it('works for its own tenant', async () => {
      const [own] = tenants as [Tenant]
      // Operations that remove things go last, and of these deleteAgent, without which nothing can be replayed.
      const last = ({ id, row }: Swept) =>
        Number(row.destroys ?? false) + Number(row.session ?? false) + Number(id === 'deleteAgent')
      for (const swept of operations.toSorted((a, b) => last(a) - last(b))) {
        if (swept.operation.security !== undefined) continue
        // Operations that end sessions or projects would end the sweep.
        if (['deleteCurrentSession', 'deleteProject'].includes(swept.id)) continue
        if (swept.row.destroys && swept.id === 'cancelRun') continue // ended already: see above
        const answer = await asked(world, swept, own, tokenFor(swept, own))
        const expected = swept.row.own ?? Math.min(...Object.keys(swept.operation.responses).map(Number))
        const success = expected === 200 && swept.operation.responses[201] ? [200, 201] : [expected]
        expect([swept.id, answer.status, success.includes(answer.status)]).toEqual([
          swept.id,
          answer.status,
          true,
        ])
      }
    }, 120_000)

    /** Asks for every other tenant's thing under `name`, with the keys and sessions that may do most in their own. */
    async function refuses(swept: Swept, name: string, change: (of: Tenant, by: Tenant | null) => Change) {
      const nested = PATH[name]?.nested ?? false
      for (const [by, token, of] of pairs(tenants, swept)) {
        const ask = (changed: Change) => asked(world, swept, by, token, changed)
        const sameAccount = of.account_id === by.account_id
        if (sameAccount && (token === by.session || /member|session/i.test(name))) continue
        const answer = await ask(change(of, by))
        const who = `${swept.id} ${name} of ${of.name} by ${by.name}`
        if (sameAccount && !nested) {
          expect([who, answer.status, answer.json?.error?.code]).toEqual([who, 403, 'forbidden'])
        } else {
          const unknown = await ask(change(of, null))
          expect([who, answer.status]).toEqual([who, 404])
          expect([who, comparable(answer)]).toEqual([who, comparable(unknown)])
        }
      }
    }
  })
}

interface Change {
  params?: Record<string, string>
  query?: Record<string, string>
  body?: Record<string, unknown>
  /** Replaces the whole query. */
  search?: string
}

/** A token that may call the operation as this tenant. */
export const tokenFor = (swept: Swept, of: Tenant) =>
  swept.row.session ? of.session : swept.row.operator ? OPERATOR_KEY : of.key

/** The token of the member with the most rights. */
export const sessionFor = (swept: Swept, of: Tenant) => (swept.row.operator ? OPERATOR_KEY : of.session)

/** Calls an operation as a tenant for its own things, except for what is changed. */
export function asked(
  world: World,
  swept: Swept,
  by: Tenant,
  token: string | null,
  change: Change = {},
  call: Call = {},
): Promise<Answer> {
  const { method, path, row } = swept
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => change.params?.[name] ?? PATH[name]!.value(by))
  const query = change.search ?? new URLSearchParams({ ...row.query?.(by), ...change.query }).toString()
  const body = call.raw === undefined && row.body ? { ...row.body(by), ...change.body } : undefined
  const target = query === '' ? filled : `${filled}?${query}`
  return world.call(method.toUpperCase(), target, { token, body, ...call })
}

/** Every tenant with each of its tokens, and every other tenant. */
function pairs(tenants: Tenant[], { row }: Swept): [by: Tenant, token: string, of: Tenant][] {
  return tenants.flatMap(by =>
    tenants
      .filter(of => of !== by)
      .flatMap(of =>
        (row.session ? [by.session] : [by.key, by.session]).map(
          token => [by, token, of] as [Tenant, string, Tenant],
        ),
      ),
  )
}

/** Everything in an answer, except what differs between any two. */
function comparable({ status, headers, text }: Answer) {
  const kept = [...headers].filter(([name]) => !['x-request-id', 'date'].includes(name))
  return { status, headers: Object.fromEntries(kept), text }
}

export function operationsOf(world: World): Swept[] {
  return Object.entries(world.contract.document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      id: operation.operationId,
      method,
      path,
      row: ROWS[operation.operationId] ?? {},
      params: [...path.matchAll(/\{(\w+)\}/g)].map(match => match[1]!),
      query: (operation.parameters ?? [])
        .filter(one => one.in === 'query')
        .map(one => one.name)
        .filter(name => !ROWS[operation.operationId]?.instead?.includes(name)),
      operation,
    })),
  )
}
