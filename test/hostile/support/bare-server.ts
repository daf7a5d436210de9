// A server that only answers: what a probe of it takes, the machine takes.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const server = createServer((_, response) => response.end('{}'))
server.listen(0, '127.0.0.1', () =>
  process.send!(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
)
process.once('disconnect', () => process.exit())
