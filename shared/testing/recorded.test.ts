import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { startModelServer } from '../../examples/model-server/server.ts'
import TicketTriage from '../../examples/ticket-triage/agent.ts'
import { tempFolder } from '../../test/support/temp-folder.ts'
import { recorded, runItem } from './index.ts'

const input = { text: 'Where is my card? I ordered it two weeks ago.' }
let parts: AsyncDisposableStack
let file: string
beforeEach(async () => {
  parts = new AsyncDisposableStack()
  file = join(parts.adopt(await tempFolder(), folder => folder.remove()).path, 'answers', 'triage.json')
  parts.defer(() => void vi.unstubAllEnvs())
})
afterEach(() => parts.disposeAsync())

/** Starts the demo model as the provider, for tests that record. */
async function provider() {
  const server = await startModelServer({ port: 0 })
  vi.stubEnv('OPENAI_BASE_URL', `${server.url}/v1`)
  vi.stubEnv('OPENAI_API_KEY', 'a-secret-key')
  return server
}

describe('a recorded model', () => {
  it('is asked once, and then answers the same without a provider or a key', async () => {
    const server = await provider()
    const first = await runItem(TicketTriage, { input, model: recorded(file, { record: true }) })
    await server.close()
    vi.stubEnv('OPENAI_API_KEY', undefined)
    const again = await runItem(TicketTriage, { input, model: recorded(file) })
    expect(first).toMatchObject({ status: 'completed', output: { category: 'card_delivery' } })
    expect(again.output).toEqual(first.output)
    expect(again.cost).toEqual(first.cost)
    expect(await readFile(file, 'utf8')).not.toContain('a-secret-key')
  })

  it('recognises a request by its path and body, whatever host it was sent to', async () => {
    const server = await provider()
    await runItem(TicketTriage, { input, model: recorded(file, { record: true }) })
    await server.close()
    vi.stubEnv('OPENAI_BASE_URL', 'https://elsewhere.test/v1')
    expect(await runItem(TicketTriage, { input, model: recorded(file) })).toMatchObject({
      outcome: { status: 'ok' },
    })
  })

  it('neither stores nor shows a key in the query, and accepts any key later', async () => {
    const asking = (key: string) =>
      new Request(`https://provider.test/models/m:generateContent?alt=json&key=${key}`, {
        method: 'POST',
        body: '{}',
      })
    const send = async () => Response.json({ said: 'yes' })
    await recorded(file, { record: true }).answer(asking('a-secret-key'), send)
    expect(await readFile(file, 'utf8')).not.toContain('a-secret-key')
    const again = await recorded(file).answer(asking('another'), send)
    expect(await again.json()).toEqual({ said: 'yes' })
    await expect(recorded(`${file}.none`).answer(asking('a-secret-key'), send)).rejects.toMatchObject({
      code: 'unrecorded_request',
      message: expect.not.stringContaining('a-secret-key'),
    })
  })

  it('says which request it has no answer for, and how to record it', async () => {
    const other = { text: 'I want to close my account.' }
    await expect(runItem(TicketTriage, { input: other, model: recorded(file) })).rejects.toMatchObject({
      code: 'unrecorded_request',
      message: expect.stringMatching(
        /triage\.json has no answer to POST .*close my account.*ASSAY_RECORD=1/s,
      ),
    })
    expect(existsSync(file)).toBe(false)
  })

  it('records if ASSAY_RECORD is set, and does not keep failures', async () => {
    vi.stubEnv('ASSAY_RECORD', '1')
    vi.stubEnv('OPENAI_API_KEY', 'none')
    vi.stubEnv('OPENAI_BASE_URL', 'http://127.0.0.1:9/v1')
    const failed = await runItem(TicketTriage, { input, model: recorded(file) })
    expect(failed.error).toMatchObject({ code: 'llm_call_error' })
    expect(existsSync(file)).toBe(false)
  })

  it('refuses a broken file', async () => {
    const broken = join(file, '../../broken.json')
    await writeFile(broken, '{"version":1')
    expect(() => recorded(broken)).toThrow(/broken\.json cannot be used/)
  })
})
