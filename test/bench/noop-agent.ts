// An agent that does nothing, as simple as the protocol allows; the bench runs it in a process of its own. With STEPS=n
// every item also reports n steps; with FAIL=n every nth item of a request fails; with THINK_MS=n a request is answered
// after n milliseconds; ANSWER replaces its output.

import { createServer } from 'node:http'

const stepsPerItem = Number(process.env.STEPS ?? 0)
const failEvery = Number(process.env.FAIL ?? Number.POSITIVE_INFINITY)
const thinkMs = Number(process.env.THINK_MS ?? 0)
const output = process.env.ANSWER ?? '{"ok":true}'
const OK = ['result', `"output":${output}`]
const FAILED = ['error', '"error":{"code":"upstream_down","message":"the warehouse answered 503"}']

// The bench asks for a message when the next request arrives.
let shouldReport = false
process.on('message', () => {
  shouldReport = true
})

function step(seq: number, attempt: number, i: number): string {
  return `{"type":"step","seq":${seq},"attempt":${attempt},"step":{"key":"s${i}","kind":"step","name":"s${i}","output":{"i":${i}},"started_at":"2026-01-01T00:00:00.000Z","duration_ms":0.1}}\n`
}

/** The lines about all items of a request. */
function answerTo(body: string): string {
  let answer = ''
  for (const line of body.split('\n')) {
    if (line === '') continue
    const { seq, attempt } = JSON.parse(line)
    for (let i = 1; i <= stepsPerItem; i++) answer += step(seq, attempt, i)
    const [type, end] = seq % failEvery === 0 ? FAILED : OK
    answer += `{"type":"${type}","seq":${seq},"attempt":${attempt},${end}}\n`
  }
  return answer
}

const server = createServer((request, response) => {
  if (shouldReport) {
    shouldReport = false
    process.send?.({ at: performance.timeOrigin + performance.now() })
  }
  const chunks: Buffer[] = []
  const end = (answer: string) => {
    if (thinkMs > 0) setTimeout(() => response.end(answer), thinkMs)
    else response.end(answer)
  }
  request.on('data', chunk => chunks.push(chunk))
  request.on('end', () => {
    const type = request.headers['content-type'] === 'application/json' ? 'json' : 'x-ndjson'
    response.setHeader('content-type', `application/${type}`)
    end(type === 'json' ? output : answerTo(Buffer.concat(chunks).toString()))
  })
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (address && typeof address === 'object') process.send?.({ port: address.port })
})
process.on('disconnect', () => process.exit(0))
