// The command line accepts the commands that pages show, whatever the page was asked for.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { parse } from '../../../shared/cli/arguments.ts'
import { COMMANDS } from '../../../shared/cli/commands.ts'
import { startNodeHost } from '../../conformance/hosts.ts'
import { fails, ran, recordId } from '../../conformance/play.ts'
import { openWorld, type World } from '../../conformance/world.ts'
import { shut } from '../../support/upstreams.ts'

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

const CHARACTERS: Record<string, string> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' }
const textOf = (html: string) => html.replaceAll(/&([^;]+);/g, (whole, name) => CHARACTERS[name] ?? whole)

/** The commands of Assay in the code blocks of a page. */
async function commandsOf(path: string): Promise<string[]> {
  const response = await fetch(`${world.url}/dashboard${path}`, { headers: { cookie } })
  const html = await response.text()
  expect([path, response.status]).toEqual([path, 200])
  const blocks = [...html.matchAll(/<pre[^>]*>\s*<code[^>]*>([^<]*)<\/code>/g)].map(([, code]) =>
    textOf(code!),
  )
  return blocks
    .flatMap(block => block.split('\n'))
    .map(line => line.trim().replace(/^npx --no /, ''))
    .filter(line => line.startsWith('assay '))
}

/** Splits a line as a shell does: quotes hold a word together. */
const wordsOf = (line: string) =>
  [...line.matchAll(/(?:'[^']*'|\\.|[^\s'\\])+/g)].map(([word]) =>
    word.replaceAll(/'([^']*)'|\\(.)/g, (_, inside, one) => inside ?? one),
  )

async function expectTaken(path: string): Promise<string[]> {
  const lines = await commandsOf(path)
  for (const line of lines) {
    const [, ...words] = wordsOf(line)
    expect([path, line, parse(COMMANDS, words).kind]).toEqual([path, line, 'run'])
  }
  return lines
}

it('commands on the pages of a project are valid, for an empty project and one with runs', async () => {
  const { first, sibling } = world
  await ran(world, fails(), [{ item_id: 'one', input: 1 }])
  for (const { project_id } of [first, sibling])
    for (const page of [
      '',
      '/runs',
      '/triage',
      '/search',
      '/agents',
      '/submit',
      '/schedules',
      '/schedules/new',
      '/triggers',
      '/alerts',
      '/deliveries',
      '/keys',
      '/audit',
      '/recover',
      '/upstreams',
    ])
      expect(await expectTaken(`/projects/${project_id}${page}`), page).not.toEqual([])
  for (const page of ['/members', '/quotas']) expect(await expectTaken(page), page).not.toEqual([])
})

it('commands on the pages of an agent, a run, an item, a schedule, a trigger and an upstream are valid', async () => {
  const { agent, run } = await ran(world, fails(), [{ item_id: 'one', input: 1 }])
  const order = { agent_id: agent.id, cron: '0 6 * * *', timezone: 'UTC', input: null }
  const { json: schedule } = await world.call('POST', '/v1/schedules', { body: order })
  const body = { agent_id: agent.id, name: 'new-ticket', scheme: 'bearer' }
  const { json: trigger } = await world.call('POST', '/v1/triggers', { body })
  const upstream_id = world.ctx.newId()
  const { project_id } = world.first
  await shut(world.ctx.sql, { project_id, id: upstream_id })
  for (const path of [
    `/projects/${project_id}/upstreams/${upstream_id}`,
    `/agents/${agent.id}`,
    `/runs/${run}`,
    `/runs/${run}/cancel`,
    `/runs/${run}/compare`,
    `/runs/${run}/verify`,
    `/runs/${run}/results`,
    `/runs/${run}/results?only=not_ok`,
    `/items/${recordId(run)}`,
    `/items/${recordId(run)}/replay`,
    `/schedules/${schedule.id}`,
    `/triggers/${trigger.id}`,
  ])
    expect(await expectTaken(path), path).not.toEqual([])
})

it('commands quote each filter of a link as one word, under its option of the command line', async () => {
  const { agent, run } = await ran(world, fails(), [{ item_id: 'one', input: 1, partition_key: 'p' }])
  const ofProject = `/projects/${world.first.project_id}`
  const odd = 'it\'s; $(no) "such" thing'
  const filter = { run_id: run, agent_id: agent.id, reason: odd, cluster_key: odd, partition_key: odd }
  const narrowed = `--run ${run} --agent ${agent.id} --reason ${odd} --cluster ${odd} --partition ${odd}`
  const asked = async (path: string) =>
    (await expectTaken(ofProject + path)).map(line => wordsOf(line).join(' '))
  const query = new URLSearchParams(filter)
  expect(await asked(`/triage?kind=dlq&${query}`)).toEqual([`assay triage --kind dlq ${narrowed}`])
  expect(await asked(`/recover?${query}`)).toEqual([`assay recover ${narrowed} --dry-run`])
  const left = `/recover?run_id=${run}&status=cancelled`
  expect(await asked(left)).toEqual([`assay recover --run ${run} --cancelled --dry-run`])
  const search = new URLSearchParams({ q: odd, outcome: 'failed', item: 'on', run_id: run, min_cost: '1' })
  expect(await asked(`/search?${search}`)).toEqual([
    `assay search ${odd} --in messages --outcome failed --prefix on --run ${run} --min-cost 1`,
  ])
  await asked(`/schedules/new?${new URLSearchParams({ cron: odd, timezone: odd })}`)
  await asked(`/submit?${new URLSearchParams({ agent: odd, item_id: odd, partition_key: odd })}`)
})
