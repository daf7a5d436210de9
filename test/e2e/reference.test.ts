// The reference page in a browser, below a path of a host, without a store.

import { Hono } from 'hono'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { endpoints } from '../../functions/index.ts'
import { listen } from '../../infra/node/listen.ts'
import type { Context } from '../../shared/context.ts'
import { openApiDocument } from '../../shared/openapi/openapi.ts'
import { serveReference } from '../../shared/openapi/reference.ts'
import { axeProblems } from '../support/axe.ts'
import { CHROMIUM, closeBrowser, visitor } from '../support/browser.ts'

const document = openApiDocument(endpoints)
const PATH = '/assay'

describe.skipIf(CHROMIUM === undefined)('the reference page (needs Chromium)', () => {
  let listener: Awaited<ReturnType<typeof listen>>
  beforeAll(async () => {
    const reference = new Hono()
    const config = { base_url: `https://example.com${PATH}` }
    serveReference(
      reference,
      () => document,
      () => ({ config }) as unknown as Context,
    )
    listener = await listen({ port: 0, host: '127.0.0.1' }, new Hono().route(PATH, reference).fetch)
  })
  afterAll(async () => {
    await closeBrowser()
    await listener.close()
  })

  it('shows every operation of the document, with its path, its fields and a request to send', async () => {
    await using visit = await visitor(listener.url)
    await visit.page.goto(`${PATH}/docs`)
    const shown = await visit.page.locator('section h3').allTextContents()
    const operations = Object.values(document.paths).flatMap(methods => Object.values(methods))
    expect(shown.toSorted()).toEqual(operations.map(one => one.summary).toSorted())
    const batch = visit.page.locator('#submitBatch')
    expect(await batch.locator('.path').textContent()).toBe('POST /v1/batches')
    expect(await batch.locator('pre').first().textContent()).toContain(
      `curl -X POST 'https://example.com${PATH}/v1/batches'`,
    )
    expect(await batch.getByRole('row', { name: 'budget_cents?' }).first().textContent()).toContain(
      'Money the run may spend, in cents.',
    )
  })

  it('requests nothing but itself, and its links stay below the path', async () => {
    await using visit = await visitor(listener.url)
    const requested: string[] = []
    visit.page.on('request', request => requested.push(request.url()))
    const response = await visit.page.goto(`${PATH}/docs`)
    expect(requested).toEqual([`${listener.url}${PATH}/docs`])
    expect(response!.headers()['content-security-policy']).toMatch(/^default-src 'none'; style-src 'sha256-/)
    await visit.page.getByRole('link', { name: 'openapi.json' }).click()
    expect(visit.page.url()).toBe(`${listener.url}${PATH}/openapi.json`)
  })

  it('is accessible, and as wide as a phone, with long lines in boxes that the keyboard scrolls', async () => {
    await using visit = await visitor(listener.url, { viewport: { width: 390, height: 844 } })
    await visit.page.goto(`${PATH}/docs`)
    const width = await visit.page.evaluate(() => globalThis.document.documentElement.scrollWidth)
    expect(width).toBe(390)
    expect(await axeProblems(visit.page)).toEqual([])
  })
})
