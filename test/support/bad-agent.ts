// An agent behind a URL that works on all items of a request at once, and whose items misbehave as their input says. It
// is the program of its own process too: node test/support/bad-agent.ts, with PORT.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * What an item does to its line, its request, its connection or its process. Any other item answers after 50 ms, beside
 * a flood after 3 s: that must have been ended by then.
 */
export type Behaviour = keyof typeof BEHAVIOURS

interface Item {
  seq: number
  attempt: number
  input: { do?: Behaviour }
}

interface Turn {
  item: Item
  request: IncomingMessage
  response: ServerResponse
  /** Writes the item's last line. */
  end(line: string | Buffer): void
}

const head = ({ seq, attempt }: Item, type = 'result') =>
  `{"type":"${type}","seq":${seq},"attempt":${attempt}`
const result = (item: Item, output: unknown = 1) => `${head(item)},"output":${JSON.stringify(output)}}\n`
const step = (item: Item, fields: string) =>
  `${head(item, 'step')},"step":{"key":"k","kind":"llm_call","name":"m","output":1,${fields}}}\n`

const BEHAVIOURS = {
  drop: ({ request }: Turn) => request.socket.destroy(),
  halfLine({ item, request, response }: Turn) {
    response.write(`${head(item)},"outp`, () => request.socket.destroy())
  },
  exit: () => process.exit(3),
  kill: () => process.kill(process.pid, 'SIGKILL'),
  print({ item, response, end }: Turn) {
    response.write('DEBUG loading model...\n')
    end(result(item))
  },
  printLine({ item, response, end }: Turn) {
    response.write(`processing ${head(item)}}\n`)
    end(result(item))
  },
  printBefore: ({ item, end }: Turn) => end(`loading... ${result(item)}`),
  list({ item, response, end }: Turn) {
    response.write('[1,2]\n17\nnull\n"text"\n\n \r\n{}\n{"type":"song"}\n')
    end(result(item))
  },
  long: ({ item, end }: Turn) => end(result(item, 'x'.repeat(2_200_000))),
  longNamedLast: ({ item: { seq, attempt }, end }: Turn) =>
    end(`{"type":"result","output":"${'x'.repeat(2_200_000)}","seq":${seq},"attempt":${attempt}}\n`),
  longNameless: ({ end }: Turn) => end(`${'x'.repeat(2_200_000)}\n`),
  badUtf8: ({ item, end }: Turn) =>
    end(
      Buffer.concat([Buffer.from(`${head(item)},"output":"caf`), Buffer.from([0xe9]), Buffer.from('"}\n')]),
    ),
  twice: ({ item: { seq, attempt }, end }: Turn) =>
    end(`{"type":"result","output":{"a":1,"a":2},"seq":${seq},"attempt":${attempt}}\n`),
  deep: ({ item: { seq, attempt }, end }: Turn) =>
    end(`{"type":"result","output":${'['.repeat(70)}${']'.repeat(70)},"seq":${seq},"attempt":${attempt}}\n`),
  notANumber: ({ item, end }: Turn) => end(`${head(item)},"output":{"score":NaN}}\n`),
  dict: ({ item: { seq, attempt }, end }: Turn) =>
    end(`{'type': 'result', 'seq': ${seq}, 'attempt': ${attempt}, 'output': {'ok': True}}\n`),
  badVerdict: ({ item, end }: Turn) => end(`${head(item)},"degraded":5,"output":1}\n`),
  badSchemaError: ({ item, end }: Turn) => end(`${head(item)},"schema_error":{},"output":1}\n`),
  badHold: ({ item, end }: Turn) => end(`${head(item, 'hold')},"reason":[]}\n`),
  badError: ({ item, end }: Turn) => end(`${head(item, 'error')},"error":"it broke"}\n`),
  badType: ({ item, end }: Turn) => end(`${head(item, 'resullt')},"output":1}\n`),
  badStep({ item, response, end }: Turn) {
    response.write(step(item, '"started_at":"yesterday","duration_ms":-5'))
    end(result(item))
  },
  noStep({ item, response, end }: Turn) {
    response.write(`${head(item, 'step')}}\n`)
    end(result(item))
  },
  flood: ({ response }: Turn) => pour(response, 'tqdm: 10%|#         | 1/10 [00:01<00:09]\n'.repeat(100)),
  floodBlank: ({ response }: Turn) => pour(response, '\n'.repeat(4000)),
  floodBeats: ({ response }: Turn) => pour(response, '{"type":"heartbeat"}\n'.repeat(200)),
  floodOthers: ({ response }: Turn) =>
    pour(response, '{"type":"result","seq":999999,"attempt":1,"output":1}\n'.repeat(100)),
  floodOldAttempts: ({ item, response }: Turn) =>
    pour(response, result({ ...item, attempt: item.attempt + 7 }).repeat(100)),
  endless({ response }: Turn) {
    response.write('x')
    pour(response, 'x'.repeat(65_536))
  },
  silent({ end }: Turn) {
    end('')
  },
} satisfies Record<string, (turn: Turn) => void>

/** What a whole request is answered because of one of its items. */
const ANSWERS: Record<string, [number, string, string]> = {
  status400: [400, 'text/plain', 'items.3.text: field required'],
  status403: [403, 'text/html', '<h1>Forbidden</h1>'],
  status413: [413, 'text/html', '<h1>Request Entity Too Large</h1>'],
  status422: [422, 'application/json', '{"detail":"not a valid item"}'],
  status500: [500, 'text/html', '<h1>Internal Server Error</h1>'],
  status502: [502, 'text/html', '<h1>Bad Gateway</h1>'],
  html: [200, 'text/html', '<h1>Something went wrong</h1>'],
}
export const ANSWERED = Object.keys(ANSWERS)

function pour(response: ServerResponse, text: string): void {
  if (!response.destroyed) response.write(text, () => setTimeout(pour, 1, response, text))
}

async function answer(request: IncomingMessage, response: ServerResponse, note: (items: number) => void) {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString()
  if (request.method === 'GET') return response.end()
  const isPlain = request.headers['assay-seq'] !== undefined
  const items: Item[] = isPlain
    ? [{ seq: Number(request.headers['assay-seq']), attempt: 1, input: JSON.parse(text) }]
    : text
        .trim()
        .split('\n')
        .map(line => JSON.parse(line))
  note(items.length)
  const whole = items.map(item => ANSWERS[item.input.do ?? '']).find(Boolean)
  if (whole) return response.writeHead(whole[0], { 'content-type': whole[1] }).end(whole[2])
  response.writeHead(200, { 'content-type': isPlain ? 'application/json' : 'application/x-ndjson' })
  if (!isPlain) response.flushHeaders()
  let left = items.length
  for (const item of items) {
    const end = (line: string | Buffer) => {
      if (response.destroyed) return
      response.write(isPlain ? '1' : line)
      if (--left === 0) response.end()
    }
    const { do: behaviour } = item.input
    const others_ms = items.some(one => one.input.do?.startsWith('flood')) ? 3000 : 50
    const act = behaviour === undefined ? () => end(result(item)) : BEHAVIOURS[behaviour]
    setTimeout(() => act({ item, request, response, end }), behaviour === undefined ? others_ms : 20)
  }
}

export interface BadAgent {
  url: string
  /** The number of items of each request that it got. */
  sends(): number[]
  close(): Promise<void>
}

/** In this process, where one that would end the process ends its connection alone: a server with many processes. */
export async function startBadAgent(): Promise<BadAgent> {
  const sends: number[] = []
  const server = createServer((request, response) => {
    answer(request, response, items => sends.push(items)).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sends: () => sends,
    async close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** In a process of its own, which is started again when it has ended, as by a supervisor. */
export async function startMortalAgent(port: number, log: string): Promise<BadAgent> {
  let isClosed = false
  let child: ReturnType<typeof spawn>
  writeFileSync(log, '')
  const listening = Promise.withResolvers<void>()
  const start = () => {
    child = spawn(process.execPath, [import.meta.filename], {
      env: { ...process.env, PORT: String(port), LOG: log, NODE_OPTIONS: '' },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    child.stdout!.once('data', () => listening.resolve())
    child.once('exit', () => {
      if (!isClosed) start()
    })
  }
  start()
  await listening.promise
  return {
    url: `http://127.0.0.1:${port}`,
    sends: () => readFileSync(log, 'utf8').trim().split('\n').filter(Boolean).map(Number),
    async close() {
      isClosed = true
      if (child.exitCode === null) {
        child.kill('SIGKILL')
        await once(child, 'exit')
      }
    },
  }
}

if (process.argv[1] === import.meta.filename) {
  const note = (items: number) => appendFileSync(process.env.LOG!, `${items}\n`)
  const server = createServer((request, response) => {
    answer(request, response, note).catch(() => response.destroy())
  })
  server.listen(Number(process.env.PORT), '127.0.0.1', () => console.log('listening'))
}
