// Takes pictures of the main pages for the documentation. It runs on request only: npm run screenshots writes
// infra/screenshots.

import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { indexSteps } from '../../shared/traces/queries/step-index.ts'
import { startNodeHost } from '../conformance/hosts.ts'
import { openWorld } from '../conformance/world.ts'
import { badNight, type Night } from '../support/bad-night.ts'
import { CHROMIUM, closeBrowser, signIn, visitor } from '../support/browser.ts'
import { smallPng } from '../support/small-png.ts'

const FOLDER = join(import.meta.dirname, '../../infra/screenshots')
/** Every checkout holds the pictures, so they stay small. */
const BYTES_MAX = 150 * 1024

const PAGES: Record<string, (night: Night) => string> = {
  overview: night => `/projects/${night.projectId}`,
  runs: night => `/projects/${night.projectId}/runs`,
  run: night => `/runs/${night.runId}`,
  triage: night => `/projects/${night.projectId}/triage`,
  item: night => `/items/${night.refusedId}?step=2`,
  replay: night => `/items/${night.refusedId}/replay`,
  submit: night => `/projects/${night.projectId}/submit`,
  schedule: night => `/schedules/${night.scheduleId}`,
  agent: night => `/agents/${night.agentId}`,
  delivery: night => `/deliveries/${night.deliveryId}`,
}

it.skipIf(CHROMIUM === undefined || process.env.SCREENSHOTS === undefined)(
  'pictures are taken of the main pages, light and dark (by npm run screenshots)',
  { timeout: 300_000 },
  async () => {
    const world = await openWorld(startNodeHost)
    try {
      const night = await badNight(world, { items: 640, days: 13 })
      while ((await indexSteps(world.ctx.sql, 1000)) > 0);
      await world.ctx.sql`update projects set name = 'Nightly' where id = ${night.projectId}`
      await mkdir(FOLDER, { recursive: true })
      for (const colorScheme of ['light', 'dark'] as const) {
        await using visit = await visitor(world.url, { colorScheme, viewport: { width: 1280, height: 860 } })
        await signIn(visit.page, world.first.account)
        for (const [name, path] of Object.entries(PAGES)) {
          await visit.page.goto(`/dashboard${path(night)}`)
          const picture = smallPng(await visit.page.screenshot({ animations: 'disabled' }))
          expect([name, picture.length < BYTES_MAX]).toEqual([name, true])
          await writeFile(join(FOLDER, `${name}-${colorScheme}.png`), picture)
        }
      }
    } finally {
      await closeBrowser()
      await world.end()
    }
  },
)
