// An answer that comes as a stream, read to its end so that it can be recorded. Guarantee: what an agent is given is what
// a later attempt finds recorded, and nothing of what was said is missing.

/** What a model call gives: of a stream, what it came to where its client puts it together, else its pieces. */
export type Recorded<Answer> = Answer extends { finalChatCompletion(): PromiseLike<infer Whole> }
  ? Whole
  : Answer extends { finalMessage(): PromiseLike<infer Whole> }
    ? Whole
    : Answer extends { finalResponse(): PromiseLike<infer Whole> }
      ? Whole
      : Answer extends AsyncIterable<infer Piece>
        ? Piece[]
        : Answer extends { fullStream: AsyncIterable<unknown> }
          ? Results<Answer>
          : Answer extends { stream?: AsyncIterable<infer Piece> | undefined }
            ? Omit<Answer, 'stream'> & { stream: Piece[] }
            : Answer

/** What the results of streamText and streamObject come to once their stream is at its end. */
type Results<Answer> = {
  [Name in Extract<keyof Answer, (typeof RESULTS)[number]>]: Awaited<Answer[Name]>
}

/**
 * By which the clients of Anthropic and OpenAI hand over a stream that they put together. OpenAI's chat has a final
 * message too, which says neither the model nor the tokens.
 */
const FINALS = ['finalChatCompletion', 'finalMessage', 'finalResponse'] as const

/** Of the Vercel AI SDK: each a promise beside the stream. */
const RESULTS = [
  'text',
  'object',
  'finishReason',
  'steps',
  'totalUsage',
  'usage',
  'toolCalls',
  'response',
] as const

export async function recorded<Answer>(answer: Answer): Promise<Recorded<Answer>> {
  const stream = answer as Partial<Record<(typeof FINALS)[number], () => PromiseLike<unknown>>>
  const final = isObject(answer) ? FINALS.find(name => typeof stream[name] === 'function') : undefined
  if (final !== undefined) return (await stream[final]!()) as Recorded<Answer>
  if (isStream(answer)) return (await piecesOf(answer)) as Recorded<Answer>
  const { fullStream, stream: beside } = (isObject(answer) ? answer : {}) as Record<string, unknown>
  if (isStream(fullStream)) return (await resultsOf(fullStream, answer as object)) as Recorded<Answer>
  // Bedrock's client puts the stream into its answer.
  if (isStream(beside)) return { ...answer, stream: await piecesOf(beside) } as Recorded<Answer>
  return answer as Recorded<Answer>
}

async function piecesOf(stream: AsyncIterable<unknown>): Promise<unknown[]> {
  const pieces: unknown[] = []
  for await (const piece of stream) add(pieces, piece)
  return pieces
}

async function resultsOf(stream: AsyncIterable<unknown>, answer: object): Promise<Record<string, unknown>> {
  for await (const _ of stream);
  const promised = answer as Partial<Record<(typeof RESULTS)[number], unknown>>
  const results: Record<string, unknown> = {}
  for (const name of RESULTS) {
    const result = await promised[name]
    if (result !== undefined) results[name] = result
  }
  // As a later attempt reads them: of a step's class the content without its getters, of a time its text.
  return JSON.parse(JSON.stringify(results))
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

const isStream = (value: unknown): value is AsyncIterable<unknown> =>
  isObject(value) && Symbol.asyncIterator in value

/** Adds a piece, joined to the one before where both are bits of the same text: a stream has one for each word. */
function add(pieces: unknown[], piece: unknown): void {
  // A copy, as it will be recorded: clients may go on changing theirs.
  const copy = piece === undefined ? null : JSON.parse(JSON.stringify(piece))
  const joined = pieces.length > 0 ? join(pieces.at(-1), copy) : APART
  if (joined === APART) pieces.push(copy)
  else pieces[pieces.length - 1] = joined
}

/** Names of what comes bit by bit. */
const BITS = new Set([
  'text',
  'content',
  'delta',
  'thinking',
  'partial_json',
  'arguments',
  'reasoning',
  'reasoning_content',
  'response',
])
/** Names of what differs between two bits of one text: the later one's is kept. */
const PASSING = new Set([
  'created_at',
  'createTime',
  'obfuscation',
  'sequence_number',
  'logprobs',
  'usageMetadata',
])
const APART = Symbol('apart')

/** Two pieces as one; `APART` where more than bits of text tells them apart. */
function join(a: unknown, b: unknown, name = ''): unknown {
  if (PASSING.has(name) || a === b)
    return typeof a === 'string' && BITS.has(name) && a !== '' ? a + String(b) : b
  if (typeof a === 'string' && typeof b === 'string') return BITS.has(name) ? a + b : APART
  if (!isObject(a) || !isObject(b) || Array.isArray(a) !== Array.isArray(b)) return APART
  const [first, second] = [a as Record<string, unknown>, b as Record<string, unknown>]
  const keys = Object.keys(second)
  if (keys.length !== Object.keys(first).length) return APART
  const joined: Record<string, unknown> = {}
  for (const key of keys) {
    const one = key in first ? join(first[key], second[key], Array.isArray(a) ? name : key) : APART
    if (one === APART) return APART
    joined[key] = one
  }
  return Array.isArray(a) ? Object.values(joined) : joined
}
