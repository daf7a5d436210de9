// Serves the agent in `agent.mjs` next to it, for folders that `assay package` writes. Guarantee: it prints which agent
// it serves and whom it answers; on a stop signal it lets items in flight end if the platform leaves the time.

import { listen } from './listen.ts'
import { readSettings } from './settings.ts'
import { endOnSignal } from './stop.ts'

type Agent = { fetch(request: Request, env: { ASSAY_AGENT_KEY?: string }): Promise<Response> }

const settings = readSettings(process.env)
const key = settings.get('ASSAY_AGENT_KEY')
const env = key === undefined ? {} : { ASSAY_AGENT_KEY: key }
const { default: agent } = (await import(new URL('agent.mjs', import.meta.url).href)) as { default: Agent }
const { declaration } = await (await agent.fetch(new Request('http://agent/'), env)).json()

const listener = await listen(
  { port: Number(settings.get('PORT') ?? 8080), host: settings.get('HOST') ?? '0.0.0.0' },
  request =>
    new URL(request.url).pathname === '/healthz'
      ? Response.json({ status: 'ok' })
      : agent.fetch(request, env),
)
const who = key === undefined ? 'everybody, since ASSAY_AGENT_KEY is not set' : 'Assay'
console.log(`${declaration.name} on ${listener.url}, answers ${who}`)
endOnSignal(listener)
