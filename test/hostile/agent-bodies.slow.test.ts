// Callers without the key of an agent send large bodies over many connections, and keep them open. Each server of an agent, in
// either language, holds a bounded part of them, lets them go with their connections, and answers Assay meanwhile.

import { type ChildProcess, spawn } from 'node:child_process'
import { createHmac, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MiB } from '../../shared/kernel/limits/bytes.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { bodyProofText } from '../../shared/protocol/rules/protocol.ts'
import { eventually } from '../support/eventually.ts'

const ROOT = join(import.meta.dirname, '../..')
const SECRET = randomBytes(32)
const ENV = {
  ...process.env,
  ASSAY_AGENT_KEY: `whsec_${SECRET.toString('base64')}`,
  PYTHONPATH: join(ROOT, 'shared/sdk/python'),
}

/** Without a process for each agent's items, which the bodies do not reach. */
const PYTHON = `import threading
from assay import agent
from assay.agent import registration_of
from assay.local import Local
from assay.protocol import AgentProtocol
from assay.server import Server
@agent(name="Counts")
def counts(ctx, item):
    return len(item)
server = Server(AgentProtocol(Local(registration_of(counts))), "127.0.0.1", 0)
print(server.url, flush=True)
server.serve_forever()`

const NODE = `import { serve as listen } from '@hono/node-server'
import { agent, serve } from '${ROOT}/shared/sdk/index.ts'
class Counts { run(_ctx, item) { return item.length } }
agent({ name: 'Counts' })(Counts, { kind: 'class', name: 'Counts' })
listen({ fetch: serve(Counts), port: 0, hostname: '127.0.0.1' }, ({ port }) => console.log('http://127.0.0.1:' + port))`

const CONNECTIONS = 40
const EACH_BYTES = 32 * MiB

const mac = (text: string) => `v1,${createHmac('sha256', SECRET).update(text).digest('base64')}`

describe.each([
  ['the Python package', 'python3', ['-c', PYTHON]],
  ['the SDK', process.execPath, ['--input-type=module', '-e', NODE]],
])('an agent of %s', (_, command, args) => {
  let server: ChildProcess
  let url: URL
  beforeAll(async () => {
    server = spawn(command, args, { env: ENV, cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] })
    const [line] = (await once(createInterface(server.stdout!), 'line')) as [string]
    url = new URL(line)
  })
  afterAll(() => server.kill('SIGKILL'))

  const memory = async (name: 'VmHWM' | 'VmRSS') => {
    const status = await readFile(`/proc/${server.pid}/status`, 'utf8')
    return Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)![1]) * 1024
  }

  /** As the consumer sends it. */
  async function ask(bytes: number, hasProof = true) {
    const body = `{"seq":1,"attempt":1,"input":"${'x'.repeat(bytes)}"}\n`
    const at_s = Math.floor(Date.now() / 1000)
    const headers = {
      'webhook-id': 'm1',
      'webhook-timestamp': String(at_s),
      'webhook-signature': mac(`m1.${at_s}.${body}`),
      ...(hasProof && {
        'assay-body-proof': `${body.length},${mac(bodyProofText('m1', at_s, body.length))}`,
      }),
    }
    const response = await fetch(url, { method: 'POST', body, headers })
    return { status: response.status, text: await response.text() }
  }

  /** Sends a part of a large body with a signature of nobody; what was answered before the connection ended. */
  async function attack(sockets: Socket[]): Promise<string> {
    const socket = connect(Number(url.port), url.hostname)
    sockets.push(socket.setMaxListeners(0))
    let answer = ''
    socket.on('data', data => (answer += data)).on('error', () => {})
    const head = `POST / HTTP/1.1\r\nhost: a\r\ncontent-length: ${200 * MiB}\r\nwebhook-id: x\r\nwebhook-timestamp: ${Math.floor(Date.now() / 1000)}\r\nwebhook-signature: v1,${'A'.repeat(43)}=\r\n\r\n`
    socket.write(head)
    const piece = Buffer.alloc(256 * 1024)
    for (let sent = 0; sent < EACH_BYTES && answer === '' && !socket.destroyed; sent += piece.length)
      if (!socket.write(piece))
        await Promise.race([once(socket, 'drain'), once(socket, 'data'), once(socket, 'close')]).catch(
          () => {},
        )
    return answer
  }

  it('holds a bounded part of what strangers send, and answers Assay', async () => {
    const before = await memory('VmRSS')
    const sockets: Socket[] = []
    const answers = await Promise.all(Array.from({ length: CONNECTIONS }, () => attack(sockets)))
    const grown = (await memory('VmHWM')) - before
    console.log(
      `${CONNECTIONS} connections with ${EACH_BYTES / MiB} MiB each: ${Math.round(grown / MiB)} MiB more`,
    )
    const refused = answers.filter(answer => answer !== '')
    expect(refused.length).toBeGreaterThan(CONNECTIONS / 2)
    for (const answer of refused) expect(answer).toMatch(/^HTTP\/1.1 503 [\s\S]*overloaded/)
    // Where pieces are copied together, half as much again is for a moment.
    expect(grown).toBeLessThan(1.7 * LIMITS.agent_unproven_bytes)
    expect(await ask(MiB)).toMatchObject({ status: 200, text: expect.stringContaining(`"output":${MiB}`) })
    expect((await ask(1000, false)).status).toBe(200)
    for (const socket of sockets) socket.destroy()
    await eventually(async () => expect((await ask(64 * MiB, false)).status).not.toBe(503))
  })
})
