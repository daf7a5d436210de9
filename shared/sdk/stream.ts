// Reads a streamed answer to its end, so that it can be recorded. Guarantee: an agent gets the same value that a later
// attempt finds recorded, and none of the model's text is missing.

/** The result of a model call; for a stream, the whole answer if its client assembles one, else the list of pieces. */
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

/** The results of streamText and streamObject (Vercel AI SDK) once their stream has ended. */
type Results<Answer> = {
  [Name in Extract<keyof Answer, (typeof RESULTS)[number]>]: Awaited<Answer[Name]>
}

/**
 * Methods with which the clients of Anthropic and OpenAI return a stream's whole answer. OpenAI's chat has finalMessage
 * too, but without the model and the tokens, so finalChatCompletion comes first.
 */
const FINALS = ['finalChatCompletion', 'finalMessage', 'finalResponse'] as const

/** Results of the Vercel AI SDK: each is a promise next to the stream. */
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
  return results
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

const isStream = (value: unknown): value is AsyncIterable<unknown> =>
  isObject(value) && Symbol.asyncIterator in value

/** Adds a piece, joined to the previous one if both are parts of the same text: a stream has one piece per word. */
function add(pieces: unknown[], piece: unknown): void {
  // A copy in its recorded form, because clients may continue to change the piece.
  const copy = piece === undefined ? null : JSON.parse(JSON.stringify(piece))
  const joined = pieces.length > 0 ? join(pieces.at(-1), copy) : APART
  if (joined === APART) pieces.push(copy)
  else pieces[pieces.length - 1] = joined
}

/** Fields whose text arrives in parts. */
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
/** Fields that may differ between two parts of one text; the later value is kept. */
const PASSING = new Set([
  'created_at',
  'createTime',
  'obfuscation',
  'sequence_number',
  'logprobs',
  'usageMetadata',
])
const APART = Symbol('apart')

/** Two pieces as one; `APART` if they differ in more than parts of a text. */
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
