// A project with something in every state: runs that ended, spent their budget, are held or at work, delivered and
// undelivered callbacks, a schedule, a trigger and an alert channel. Its agent makes two outside requests per item.

import { expect, vi } from 'vitest'
import type { Bundle } from '../faults/support/stack.ts'
import type { Outside } from './outside.ts'

const WAIT_MS = 30_000
export const OPEN_ITEMS = 8
/** How many items of the open run are at work at once. */
export const AT_WORK = 2

export const AGENT = `
import { agent, type Context } from 'assay'
@agent({ name: 'Busy', network: ['HOST'] })
export default class Busy {
  async run(ctx: Context, input: { name: string; ending?: string }) {
    const ask = async (step: string) => {
      const response = await fetch(process.env.OUTSIDE + '/' + step + '/' + input.name, { signal: ctx.signal })
      return response.text()
    }
    await ctx.step('first', () => ask('first'))
    if (input.ending === 'fail') throw new Error('no such ticket')
    if (input.ending === 'hold') await ctx.hold('somebody has to look')
    await ctx.step('second', () => ask('second'))
    return process.env.SECRET
  }
}
`

export interface Answer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: what a test looks at differs from answer to answer.
  json: any
}

export async function callAt(
  at: string,
  key: string,
  path: string,
  body?: object,
  more = {},
): Promise<Answer> {
  const response = await fetch(`${at}${path}`, {
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...more },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, json: text === '' ? null : JSON.parse(text) }
}

export interface BusyProject {
  id: string
  key: string
  name: string
  runs: Record<'ended' | 'unheard' | 'spent' | 'held' | 'open', string>
  /** Fires its trigger, like a sender that knows its URL and secret. */
  fire(at: string, name: string): Promise<Answer>
  /** Submits the open run again, with the same idempotency key. */
  submitAgain(at: string): Promise<string>
  /** What the API shows of ended runs: the same wherever the project is. */
  history(at: string): Promise<unknown>
  /** Resolves when the run matches `expected`. */
  becomes(at: string, run: string, expected: object): Promise<void>
}

interface Given {
  id: string
  key: string
  name: string
  at: string
  outside: Outside
  bundle: Bundle
}

export async function makeBusy({ id, key, name, at, outside, bundle }: Given): Promise<BusyProject> {
  const call = async (path: string, body?: object) => {
    const { status, json } = await callAt(at, key, path, body)
    expect([status, json]).toEqual([status < 300 ? status : '2xx', json])
    return json
  }
  const agent_id: string = (await call('/v1/agents', { project_id: id, name, slug: 'busy' })).id
  const env = { OUTSIDE: `${outside.origin}/${name}`, SECRET: `secret of ${name}` }
  await call(`/v1/agents/${agent_id}/deployments`, { kind: 'bundle', ...bundle, env })
  await call(`/v1/projects/${id}/alert-channels`, { url: outside.callbackUrl(name, 'alerts') })
  // Never due by itself; the test makes it due.
  await call('/v1/schedules', { agent_id, cron: '0 0 1 1 *', input: { name: 'clock' } })
  const trigger = await call('/v1/triggers', { agent_id, name: 'ticket' })

  const submit = async (run: string, items: object[], more: object = {}, where = at): Promise<string> => {
    const callback_url = outside.callbackUrl(name, run)
    const order = { agent_id, items, callback_url, idempotency_key: run, ...more }
    return (await callAt(where, key, '/v1/batches', order)).json.run_id
  }
  const submitOpen = (where = at) =>
    submit(
      'open',
      Array.from({ length: OPEN_ITEMS }, (_, n) => item(`open-${n + 1}`)),
      { concurrency: AT_WORK },
      where,
    )
  const becomes = (at: string, run: string, expected: object) =>
    vi.waitFor(
      async () => expect((await callAt(at, key, `/v2/runs/${run}`)).json).toMatchObject(expected),
      WAIT_MS,
    )
  const ended = await submit('ended', [item('done'), item('failed', 'fail')])
  const unheard = await submit('unheard', [item('unheard')])
  const held = await submit('held', [item('fine'), item('held', 'hold')])
  const spent = await submit('spent', [item('never')], { budget_cents: 0 })
  await becomes(at, ended, { status: 'partial', completed: 1, failed: 1 })
  await becomes(at, unheard, { status: 'completed' })
  await becomes(at, spent, { status: 'budget_exceeded' })
  await becomes(at, held, { paused: 1, completed: 1 })
  const fire = (where: string, name: string) =>
    callAt(where, trigger.secret, new URL(trigger.url).pathname, { name }, { 'x-idempotency-key': name })
  await becomes(at, (await fire(at, 'fired')).json.run_id, { status: 'completed' })
  const open = await submitOpen()
  const history = async (at: string) => {
    const of = (run: string) => [`/v2/runs/${run}`, `/v2/runs/${run}/items`, `/v1/deliveries?run_id=${run}`]
    const paths = [
      ...[ended, spent].flatMap(of),
      `/v2/runs/${unheard}/items`,
      `/v1/steps?q=answered&run_id=${ended}`,
    ]
    const answers = await Promise.all(paths.map(path => callAt(at, key, path)))
    expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 200))
    expect(answers.at(-1)!.json.steps).not.toEqual([])
    return answers.map(({ json }) => json)
  }
  const runs = { ended, unheard, spent, held, open }
  return { id, key, name, runs, fire, submitAgain: submitOpen, history, becomes }
}

const item = (name: string, ending?: string) => ({
  item_id: name,
  input: { name, ...(ending !== undefined && { ending }) },
})
