// An agent that does nothing, as plainly as the protocol allows; the bench runs it in a process of its own.
// With STEPS=n every item also reports n steps; with FAIL=1 every item fails.

import { createServer } from 'node:http'

const stepsPerItem = Number(process.env.STEPS ?? 0)
const [type, end] = process.env.FAIL
  ? ['error', '"error":{"code":"upstream_down","message":"the warehouse answered 503"}']
  : ['result', '"output":{"ok":true}']

// The bench asks to be told when the next request arrives.
let tell = false
process.on('message', () => {
  tell = true
})

const server = createServer((request, response) => {
  if (tell) {
    tell = false
    process.send?.({ at: performance.timeOrigin + performance.now() })
  }
  const chunks: Buffer[] = []
  request.on('data', chunk => chunks.push(chunk))
  request.on('end', () => {
    const body = Buffer.concat(chunks).toString()
    if (request.headers['content-type'] === 'application/json') {
      response.setHeader('content-type', 'application/json')
      response.end('{"ok":true}')
      return
    }
    let answer = ''
    for (const line of body.split('\n')) {
      if (line === '') continue
      const { seq, attempt } = JSON.parse(line)
      for (let i = 1; i <= stepsPerItem; i++)
        answer += `{"type":"step","seq":${seq},"attempt":${attempt},"step":{"key":"s${i}","kind":"step","name":"s${i}","output":{"i":${i}},"started_at":"2026-01-01T00:00:00.000Z","duration_ms":0.1}}\n`
      answer += `{"type":"${type}","seq":${seq},"attempt":${attempt},${end}}\n`
    }
    response.setHeader('content-type', 'application/x-ndjson')
    response.end(answer)
  })
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (address && typeof address === 'object') process.send?.({ port: address.port })
})
process.on('disconnect', () => process.exit(0))
