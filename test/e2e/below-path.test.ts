// An installation below a path of a host, behind nginx with infra/proxies/nginx-path.conf, as people and their
// terminals use it.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startNodeHost } from '../conformance/hosts.ts'
import { makeAgent } from '../conformance/make.ts'
import { deploy, workOff, works } from '../conformance/play.ts'
import { MASTER_KEY, openWorld, type World } from '../conformance/world.ts'
import { type Behind, startBehind, textOf } from '../support/behind.ts'
import { CHROMIUM, closeBrowser, visitor } from '../support/browser.ts'
import { freePort } from '../support/ports.ts'
import { isInstalled, type RunningProxy, startProxy } from '../support/proxies.ts'
import { type TempFolder, tempFolder } from '../support/temp-folder.ts'

const CLI = join(import.meta.dirname, '../../shared/cli/assay.mjs')

describe.skipIf(!isInstalled('nginx'))('below a path (needs nginx)', () => {
  let world: World
  let behind: Behind
  let proxy: RunningProxy
  let base: string
  let folder: TempFolder
  let slug: string
  beforeAll(async () => {
    world = await openWorld(startNodeHost)
    const port = await freePort()
    base = `https://127.0.0.1:${port}/assay`
    behind = await startBehind({ ...world.urls, masterKey: MASTER_KEY }, base)
    proxy = await startProxy('nginx', { file: 'nginx-path.conf' }, behind.port, port)
    folder = await tempFolder()
    const agent = await makeAgent(world)
    slug = agent.slug
    await deploy(world, agent.id)
  })
  afterAll(async () => {
    await closeBrowser()
    await proxy?.[Symbol.asyncDispose]()
    await behind?.close()
    await folder?.remove()
    await world.end()
  })

  async function assay(...args: string[]): Promise<{ code: number; out: string }> {
    const ca = join(folder.path, 'ca.crt')
    await writeFile(ca, proxy.ca)
    const child = spawn(process.execPath, [CLI, ...args], {
      cwd: folder.path,
      env: {
        ...process.env,
        HOME: folder.path,
        XDG_CONFIG_HOME: folder.path,
        NODE_EXTRA_CA_CERTS: ca,
        ASSAY_BASE_URL: `${base}/`,
        ASSAY_API_KEY: world.first.api_key,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [out, [code]] = await Promise.all([textOf(child.stdout), once(child, 'exit')])
    return { code, out }
  }

  it.skipIf(CHROMIUM === undefined)(
    'a person signs in, submits a file, sees it live and signs out, and no request leaves the path (needs Chromium)',
    { timeout: 60_000 },
    async () => {
      await using visit = await visitor(base, { ignoreHTTPSErrors: true })
      const { page } = visit
      const left: string[] = []
      page.on('request', request => {
        if (!request.url().startsWith(`${base}/`)) left.push(request.url())
      })
      await page.goto(`${base}/`)
      await page.waitForURL(`${base}/dashboard/sign-in`)
      await page.getByLabel('E-mail').fill(world.first.account.email)
      await page.getByLabel('Password').fill(world.first.account.password)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('link', { name: 'default' }).click()
      await page.getByRole('navigation').getByRole('link', { name: 'Submit' }).click()
      await page.goto(`${page.url()}?agent=${slug}`)
      await page.getByLabel('or choose one').setInputFiles({
        name: 'rows.jsonl',
        mimeType: 'application/x-ndjson',
        buffer: Buffer.from('{"n":1}\n'),
      })
      await page.getByRole('button', { name: 'Submit all' }).click()
      await page.waitForURL(/\/assay\/dashboard\/runs\/[0-9a-f-]{36}$/)
      await workOff(world, works)
      await page.locator('#run-state').getByText('completed').waitFor()
      await page.getByRole('navigation').getByRole('link', { name: 'Keys' }).click()
      expect((await page.context().cookies()).map(({ name, path }) => [name, path])).toEqual([
        ['__Secure-assay-session', '/assay'],
        ['__Secure-assay-project', '/assay'],
      ])
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.waitForURL(`${base}/dashboard/sign-in`)
      expect(left).toEqual([])
    },
  )

  it('the reference links to the document, which names the path', async () => {
    const page = await (await fetch(`${behind.url}/docs`)).text()
    const [, to] = /<a href="([^"]+)">openapi\.json<\/a>/.exec(page)!
    expect(new URL(to!, `${base}/docs`).href).toBe(`${base}/openapi.json`)
    const document = await (await fetch(`${behind.url}/openapi.json`)).json()
    expect(document.servers).toEqual([{ url: '/assay' }])
    expect(page).toContain(`curl &#39;${base}/health&#39;`)
  })

  it('the command line submits and lists runs there, and a trigger has its address there', async () => {
    const agent = (await world.call('GET', '/v1/agents')).json.find(
      (one: { slug: string }) => one.slug === slug,
    )
    const trigger = await fetch(`${behind.url}/v1/triggers`, {
      method: 'POST',
      headers: { authorization: `Bearer ${world.first.api_key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ agent_id: agent.id, name: 'from-outside', secret_env: 'SECRET' }),
    })
    expect((await trigger.json()).url).toMatch(new RegExp(`^${base}/v1/webhooks/whk_`))
    const file = join(folder.path, 'rows.jsonl')
    await writeFile(file, '{"n":1}\n{"n":2}\n')
    const submitted = await assay('submit', file, '--agent', slug, '--json')
    expect([submitted.code, submitted.out]).toEqual([0, expect.stringContaining('run_id')])
    await workOff(world, works)
    const runs = await assay('runs', '--json')
    expect([runs.code, runs.out]).toEqual([0, expect.stringContaining('"total_items":2')])
  })
})
