// What a person sees of an item whose steps other code made: on resuming it, on replaying it, and on the replay's page.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { startNodeHost } from '../../conformance/hosts.ts'
import { makeAgent, makeRun } from '../../conformance/make.ts'
import { called, deploy, type Play, recordId, workOff } from '../../conformance/play.ts'
import { openWorld, type World } from '../../conformance/world.ts'

let world: World
let cookie = ''
beforeAll(async () => {
  world = await openWorld(startNodeHost)
  const response = await send('/dashboard/sign-in', world.first.account)
  cookie = response.headers.getSetCookie()[0]!.split(';')[0]!
})
afterAll(() => world.end())

const send = (path: string, form: Record<string, string> = {}) =>
  fetch(`${world.url}${path}`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'sec-fetch-site': 'same-origin', cookie },
    body: new URLSearchParams(form),
  })

/** Sends a form without fields; returns where it leads, and that page with its notice. */
async function acted(path: string): Promise<{ to: string; html: string }> {
  const answer = await send(path)
  const to = answer.headers.get('location')!
  const notice = answer.headers.getSetCookie().map(one => one.split(';')[0]!)
  const page = await fetch(new URL(to, world.url), { headers: { cookie: [cookie, ...notice].join('; ') } })
  return { to, html: await page.text() }
}

/** Calls a model once, and then ends or is held, by the code that it names. */
const by =
  (version: string, end: 'works' | 'fails' | 'holds'): Play =>
  item => {
    const { seq, attempt, recorded } = item
    const last = {
      works: { type: 'result', seq, attempt, output: 'ok' },
      fails: { type: 'error', seq, attempt, error: { code: 'tool_call_error', message: 'no answer' } },
      holds: { type: 'hold', seq, attempt, reason: 'look' },
    } as const
    return [...(recorded.length > 0 ? [] : [called(item, 'gpt-5-mini', 9)]), { ...last[end], version }]
  }

it('resuming or replaying it says so, and the page of the replay names the code', async () => {
  const agent = await makeAgent(world)
  await deploy(world, agent.id)
  const held = await makeRun(world, agent.id, [{ input: 1 }])
  await workOff(world, by('a3f', 'holds'))
  const failed = await makeRun(world, agent.id, [{ input: 2 }])
  await workOff(world, by('a3f', 'fails'))
  await makeRun(world, agent.id, [{ input: 3 }])
  await workOff(world, by('b7c', 'works'))
  const words = '1 reused step was made by code a3f, and code b7c runs'
  const resumed = await acted(`/dashboard/items/${recordId(held)}/resume`)
  expect(resumed.html).toContain('The item goes on after its last step.')
  expect(resumed.html).toContain(words)
  const replayed = await acted(`/dashboard/items/${recordId(failed)}/replay`)
  expect(replayed.html).toContain(words)
  await workOff(world, by('b7c', 'works'))
  const page = await fetch(new URL(replayed.to, world.url), { headers: { cookie } })
  expect(await page.text()).toContain('made by code a3f (1 step)')
  const { json } = await world.call('GET', `/v1/durable/runs/${replayed.to.split('/').at(-1)}`)
  expect([json.code_version, json.reused_versions]).toEqual([
    'b7c',
    [{ deployment_version: 1, code_version: 'a3f', steps: 1 }],
  ])
})
