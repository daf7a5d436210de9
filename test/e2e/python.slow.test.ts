// A large batch from a program in Python. Guarantee: 100,000 rows are sent and read in bounded memory, and a program that is
// killed at any of these places and started again leaves nothing out and submits nothing twice.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { assay, CHECKOUT, type Stack, startStack } from '../support/stack.ts'
import { type TempFolder, tempFolder } from '../support/temp-folder.ts'

const ITEMS = 100_000
/** Of the interpreter, the client and 8 MiB of lines, where the rows are 33 MB of lines; a list of them takes 150. */
const MEMORY_MB = 80

const AGENT = `
from assay import Context, agent

@agent(name="Pages", input={"type": "object"})
def pages(ctx: Context, page):
    return {"length": len(page["text"])}
`

const PROGRAM = `
import json, resource, sys
from assay import Assay

def rows():
    for n in range(${ITEMS}):
        if n == ${ITEMS / 2}:
            print("half of the rows are read", flush=True)
        yield {"id": f"page-{n}", "text": "The roof leaks. " * 15}

pilot = None
if sys.argv[1] == "pilot":
    pilot = Assay().pilot("pages", rows(), items=50, item_id="id", idempotency_key="pilot", progress=False)
    print("the pilot has ended", flush=True)
    run = pilot.go_on()
else:
    run = Assay().submit("pages", rows(), item_id="id", idempotency_key="night")
print("submitted", flush=True)
run.wait(progress=False)
seen, ok = set(), 0
for one in [pilot.run, run] if pilot else [run]:
    for row in one.results(fields="item_id,outcome_status"):
        seen.add(hash(row["item_id"]))
        ok += row["outcome_status"] == "ok"
megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps({"run": run.id, "items": len(seen), "ok": ok, "megabytes": megabytes}), flush=True)
`

let stack: Stack
let folder: TempFolder
let agent: ChildProcess
let proxy: Server
/** Called once half of a batch has passed through the proxy. */
let onHalf: (() => void) | undefined
beforeAll(async () => {
  folder = await tempFolder()
  await writeFile(join(folder.path, 'pages.py'), AGENT)
  await writeFile(join(folder.path, 'night.py'), PROGRAM)
  stack = await startStack()
  agent = python(['-m', 'assay', 'serve', 'pages.py', '--port', '0', '--workers', '2'])
  for await (const line of createInterface({ input: agent.stdout! })) {
    const url = / on (http:\S+?),/.exec(line)?.[1]
    if (url === undefined) continue
    expect((await assay({ env: stack.env }, ['deploy', '--url', url]).done).code).toBe(0)
    break
  }
  const to = new URL(stack.base_url)
  proxy = createServer(inbound => {
    const outbound = connect(Number(to.port), to.hostname)
    let bytes = 0
    inbound.on('data', piece => {
      bytes += piece.length
      if (bytes > 15_000_000) onHalf?.()
    })
    inbound.pipe(outbound).pipe(inbound)
    for (const [one, other] of [
      [inbound, outbound],
      [outbound, inbound],
    ] as const)
      one.on('error', () => other.destroy())
  })
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
})
afterAll(async () => {
  proxy?.close()
  if (agent && agent.exitCode === null) {
    agent.kill('SIGTERM')
    await once(agent, 'exit')
  }
  await stack?.close()
  await folder?.remove()
})

const python = (args: string[]) =>
  spawn('python3', args, {
    cwd: folder.path,
    env: {
      ...process.env,
      PYTHONPATH: join(CHECKOUT, 'shared/sdk/python'),
      ASSAY_API_KEY: stack?.api_key ?? '',
      ASSAY_BASE_URL: `http://127.0.0.1:${(proxy?.address() as AddressInfo | null)?.port}`,
    },
  })

/** Starts the program; kills it at `line`, or in the middle of its batch. Returns its last line. */
async function night(how: string, killedAt?: string): Promise<string> {
  const child = python(['night.py', how])
  const kill = () => child.kill('SIGKILL')
  onHalf = killedAt === 'half is sent' ? kill : undefined
  let [last, err] = ['', '']
  child.stderr.on('data', piece => (err += piece))
  for await (const line of createInterface({ input: child.stdout! })) {
    last = line
    if (line === killedAt) kill()
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, 'close')
  expect([child.signalCode, err]).toEqual([killedAt === undefined ? null : 'SIGKILL', ''])
  return last
}

const runsOf = async () =>
  (await assay({ env: stack.env }, ['runs', '--agent', 'pages']).done).events.map(
    event => event as { total_items?: number },
  )

it('a program that is killed while it reads, sends and waits, and started again, has each item once', async () => {
  await night('run', 'half of the rows are read')
  expect(await runsOf()).toHaveLength(0)
  await night('run', 'half is sent')
  await night('run', 'submitted')
  const found = JSON.parse(await night('run'))
  expect(found).toMatchObject({ items: ITEMS, ok: ITEMS })
  expect(found.megabytes).toBeLessThan(MEMORY_MB)
  expect((await runsOf()).map(run => run.total_items)).toEqual([ITEMS])
})

it('so does one with a pilot, whose rest is sent once', async () => {
  await night('pilot', 'the pilot has ended')
  await night('pilot', 'half is sent')
  await night('pilot', 'submitted')
  const found = JSON.parse(await night('pilot'))
  expect(found).toMatchObject({ items: ITEMS, ok: ITEMS })
  expect(found.megabytes).toBeLessThan(MEMORY_MB)
  expect((await runsOf()).map(run => run.total_items)).toEqual([ITEMS - 50, 50, ITEMS])
})
