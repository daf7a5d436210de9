// What the overview says of lists that it shows in part, over plain HTTP.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { startNodeHost } from '../../conformance/hosts.ts'
import { fails, holds, ran } from '../../conformance/play.ts'
import { openWorld, type World } from '../../conformance/world.ts'

let world: World
let cookie: string
beforeAll(async () => {
  world = await openWorld(startNodeHost)
  const response = await fetch(`${world.url}/dashboard/sign-in`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'sec-fetch-site': 'same-origin' },
    body: new URLSearchParams(world.first.account),
  })
  cookie = response.headers.getSetCookie()[0]!.split(';')[0]!
})
afterAll(() => world.end())

const read = async (path = '') => {
  const response = await fetch(`${world.url}/dashboard/projects/${world.first.project_id}${path}`, {
    headers: { cookie },
  })
  return response.text()
}
const words = (html: string) => html.replaceAll(/<[^>]*>/g, '').replaceAll(/\s+/g, ' ')

it('causes are sorted by links only where all of them are shown', async () => {
  for (const n of [1, 2, 3, 4, 5]) await ran(world, fails(`code_of_${n}`), [{ input: n }])
  const isSortable = async (path: string) => (await read(path)).includes('sort.causes=')
  expect([await isSortable(''), await isSortable('/triage')]).toEqual([true, true])
  await ran(world, fails('code_of_6'), [{ input: 6 }])
  expect([await isSortable(''), await isSortable('/causes')]).toEqual([false, true])
})

it('groups of runs are counted as groups, and open runs of which none works are said to be', async () => {
  for (let n = 0; n < 10; n++) await ran(world, holds, [{ input: n }], { name: `held ${n}` })
  const said = words(await read())
  expect(said).toContain('10 of 16 groups All runs')
  expect(said).toContain('Of the 10 newest open runs, none has items at work or queued. All open runs')
  expect(said).not.toContain('Running now')
  expect(await read()).toContain('runs?status=open')
  expect(words(await read('/runs?status=open'))).toContain('held 9')
  expect(words(await read('/runs?status=open'))).not.toContain('code_of_1')
})
