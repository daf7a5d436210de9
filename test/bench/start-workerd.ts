// Starts workerd with a single unit, as a platform would run it.

import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startWorkerd, workerdFolder } from '../support/workerd.ts'
import { ask, cpuOf, type FirstRequest, type Start } from './start.ts'

/** The configuration of the unit alone: its generated worker without the queue, and the networks that it reaches. */
function alone(name: string, given: string): string {
  const around = given.slice(given.indexOf('    (name = "internet"'), given.indexOf('    (name = "router"'))
  const worker = new RegExp(`^const ${name} [^]*?^\\);\n`, 'm')
    .exec(given)![0]
    .replace(/.*name = "WAKE".*\n/, '')
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
${around}    (name = "unit", worker = .${name}),
  ],
  sockets = [
    (name = "metrics", address = "127.0.0.1:0", http = (), service = "unit"),
    (name = "http", address = "*:0", http = (), service = "unit"),
  ],
);
${worker}`
}

export interface WorkerdUnit {
  bytes: number
  start(): Promise<Start>
}

export async function workerdUnit(
  name: string,
  env: Record<string, string>,
  request: FirstRequest,
): Promise<WorkerdUnit> {
  const folder = await workerdFolder()
  const config = `alone-${name}.capnp`
  await writeFile(join(folder, config), alone(name, await readFile(join(folder, 'config.capnp'), 'utf8')))
  return {
    bytes: (await stat(join(folder, `${name}.mjs`))).size,
    async start() {
      const started = performance.now()
      const workerd = await startWorkerd(env, config)
      try {
        const status = await ask(workerd.url, request)
        if (status === undefined || status >= 500)
          throw new Error(`${name} in workerd answered ${status}: ${workerd.log()}`)
        return { ms: performance.now() - started, cpu_ms: await cpuOf(workerd.child.pid!) }
      } finally {
        await workerd.close()
      }
    },
  }
}
