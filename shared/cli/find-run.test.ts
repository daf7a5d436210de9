import { expect, it } from 'vitest'
import { answering } from '../../test/support/cli-session.ts'
import { findRun } from './find-run.ts'

const ID = '01a1fab9-81a7-7eca-a25c-000000000001'
const runs = [
  { id: 'newest', name: null, agent_slug: 'claims' },
  { id: 'named', name: 'nightly', agent_slug: 'claims' },
  { id: 'older', name: 'nightly', agent_slug: 'claims' },
]
const find = (given: string) => findRun(answering({ 'GET /v2/runs?limit=500': runs })(100).api, given)

it('a run goes by its id, by its name, or by its agent, of which the newest is meant', async () => {
  expect(await find(ID)).toBe(ID)
  expect(await find('nightly')).toBe('named')
  expect(await find('claims')).toBe('newest')
})

it('one that does not exist is reported with the names that do', async () => {
  await expect(find('nigthly')).rejects.toMatchObject({
    code: 'not_found',
    message: 'there is no run "nigthly"',
    hint: 'there are: claims, nightly',
  })
})
