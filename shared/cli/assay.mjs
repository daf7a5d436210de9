#!/usr/bin/env node
// Starts the command on the Node that the project brings, whichever Node the caller has. Guarantee: it ends when the
// command has, and as it did: a shell's prompt never comes before the command's last words.

import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** These commands pass files of any size; without bounds, V8 keeps some 200 MiB of what they have read already. */
const PASSING = ['submit', 'results']
const BOUNDS = ['--max-semi-space-size=16', '--max-old-space-size=512']

const own = fileURLToPath(new URL('../../node_modules/node/bin/node', import.meta.url))
const main = fileURLToPath(new URL('main.ts', import.meta.url))
const isCurrent = Number(process.versions.node.split('.')[0]) >= 24
const bounds = PASSING.includes(process.argv[2]) ? BOUNDS : []
if (isCurrent && bounds.length === 0) await import(main)
else if (isCurrent || existsSync(own)) {
  const node = isCurrent ? process.execPath : own
  const command = spawn(node, [...bounds, main, ...process.argv.slice(2)], { stdio: 'inherit' })
  // A terminal sends Ctrl-C to both: the command decides what comes of it.
  process.on('SIGINT', () => {})
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => command.kill(signal))
  command.on('exit', (status, signal) => {
    process.exitCode = status ?? 1
    if (signal === null) return
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
} else {
  console.error('assay needs its dependencies: run "npm ci" or "npm start" in its checkout first')
  process.exitCode = 2
}
