// Serves the bundle of an agent, in the file BUNDLE, at PORT. A request with an item whose text says so loses its connection a
// moment later, as if that item had ended a server of one process.

import { pathToFileURL } from 'node:url'
import { type HttpBindings, serve } from '@hono/node-server'

const MOMENT_MS = 300

const { default: agent } = (await import(pathToFileURL(process.env.BUNDLE!).href)) as {
  default: { fetch(request: Request): Promise<Response> }
}

async function answer(request: Request, { incoming }: HttpBindings): Promise<Response> {
  if (request.method !== 'POST') return agent.fetch(request)
  const body = await request.text()
  if (body.includes('poison')) setTimeout(() => incoming.socket.destroy(), MOMENT_MS)
  return agent.fetch(new Request(request.url, { method: 'POST', headers: request.headers, body }))
}

serve(
  {
    fetch: (request: Request, bindings: unknown) => answer(request, bindings as HttpBindings),
    port: Number(process.env.PORT ?? 0),
    hostname: '127.0.0.1',
  },
  ({ port }) => process.send?.({ port }),
)
process.on('disconnect', () => process.exit(0))
