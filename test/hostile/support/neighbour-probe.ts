// A neighbour in a process of its own: serves its agent, and measures how long one item takes, from its submission
// until its verdict is committed, and how long `/health` takes. An attack from the test's process cannot hold up its
// clock.

import { createServer, Agent as HttpAgent, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import postgres from 'postgres'

/** What the test sends: the agent that was deployed, and how many items to measure one after the other. */
export interface Asked {
  agent_id: string
  samples: number
}

/** Milliseconds of each. */
export interface Measured {
  items: number[]
  health: number[]
}

const LOOK_MS = 3
const GAP_MS = { least: 20, most: 60 } // never in step with a timer of the server

const { BASE_URL: base_url, API_KEY: key, DATABASE_URL: databaseUrl } = process.env as Record<string, string>
const sql = postgres(databaseUrl!, { max: 1, onnotice: () => {} })
const connections = new HttpAgent({ keepAlive: true })

function call(method: string, path: string, body = ''): Promise<string> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  return new Promise((resolve, reject) => {
    const sent = request(`${base_url}${path}`, { method, agent: connections, headers }, async response => {
      let text = ''
      for await (const chunk of response.setEncoding('utf8')) text += chunk
      if (response.statusCode! < 300) resolve(text)
      else reject(new Error(`${method} ${path} was answered ${response.statusCode}: ${text}`))
    })
    sent.on('error', reject).end(body)
  })
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

async function oneItem(agent_id: string): Promise<void> {
  const { run_id } = JSON.parse(await call('POST', `/v1/agents/${agent_id}/runs`, '{"input":0}'))
  for (;;) {
    const [run] = await sql`select ok from runs where id = ${run_id} and finished_at is not null`
    if (run?.ok === 1) return
    if (run !== undefined) throw new Error(`the item of run ${run_id} did not end ok`)
    await pause(LOOK_MS)
  }
}

async function measure({ agent_id, samples }: Asked): Promise<Measured> {
  const measured: Measured = { items: [], health: [] }
  for (let i = 0; i < samples; i++) {
    await pause(GAP_MS.least + Math.random() * (GAP_MS.most - GAP_MS.least))
    measured.items.push(await timed(() => oneItem(agent_id)))
    measured.health.push(await timed(() => call('GET', '/health')))
  }
  return measured
}

const agent = createServer(async (incoming, response) => {
  let body = ''
  for await (const chunk of incoming.setEncoding('utf8')) body += chunk
  response.setHeader('content-type', 'application/x-ndjson')
  for (const line of body.split('\n').filter(Boolean)) {
    const { seq, attempt } = JSON.parse(line)
    response.write(`${JSON.stringify({ type: 'result', seq, attempt, output: 'well' })}\n`)
  }
  response.end()
})
agent.listen(0, '127.0.0.1', () => {
  const { port } = agent.address() as { port: number }
  process.send!({ port })
})
process.on('message', (asked: Asked) => {
  measure(asked).then(
    measured => process.send!({ measured }),
    error => process.send!({ error: String(error) }),
  )
})
process.on('disconnect', () => process.exit(0))
