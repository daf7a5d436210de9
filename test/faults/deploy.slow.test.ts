// The API dies during a deploy: code, schedules and triggers are there together, or not at all.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { PATIENCE_MS, type Stack, startStack } from './support/stack.ts'

let stack: Stack
beforeAll(async () => {
  stack = await startStack()
}, PATIENCE_MS)
afterAll(() => stack?.close())

it('a deploy cut off before its commit leaves nothing, and the next one is complete', {
  timeout: PATIENCE_MS,
}, async () => {
  const declaration = { schedules: [{ cron: '0 9 * * *' }], triggers: [{ name: 'orders' }] }
  const left = async () => {
    const [row] = await stack.sql`
      select (select count(*)::int from deployments) as deployments,
        (select count(*)::int from schedules) as schedules,
        (select count(*)::int from triggers) as triggers,
        (select count(*)::int from agents where current_deployment_id is not null) as deployed`
    return row
  }
  await stack.endProcesses()
  await stack.startControl('deploy.before_commit=kill')
  await expect(stack.deploy(declaration)).rejects.toThrow('fetch failed')
  expect(await stack.gone(stack.control)).toBe('SIGKILL')
  expect(await left()).toEqual({ deployments: 0, schedules: 0, triggers: 0, deployed: 0 })

  await stack.startControl()
  await stack.deploy(declaration)
  expect(await left()).toEqual({ deployments: 1, schedules: 1, triggers: 1, deployed: 1 })
})
