// Reads transcripts of speech: of OpenAI, Groq and Mistral, by tokens or by length, and of specialised providers
// (Deepgram, AssemblyAI, ElevenLabs, Cartesia, Gladia, Rev.ai, fal).

import { type Completion, type Fields, fields, Gathered, list, type Shape, some, ungraded } from './answer.ts'
import { responsesCounts } from './raw-usage.ts'

export const transcripts: Shape = {
  read(body) {
    const usage = fields(body.usage)
    if (typeof body.text === 'string' && usage?.type === 'tokens') return byTokens(body, usage)
    const seconds = secondsOf(body, usage)
    if (seconds === undefined) return undefined
    const gathered = new Gathered()
    const none = { input_tokens: 0, output_tokens: 0, cached_input_tokens: 0 }
    const reported = seconds === null ? undefined : { ...none, audio_seconds: gathered.seconds(seconds) }
    return { ...ungraded('transcripts', modelOf(body), reported, gathered), text: textOf(body) }
  },
}

const textOf = ({ text }: Fields) => (typeof text === 'string' ? text : '')

function byTokens(body: Fields, usage: Fields): Completion {
  const gathered = new Gathered()
  const read = ungraded('transcripts', body.model, responsesCounts(usage, gathered), gathered)
  return { ...read, text: textOf(body) }
}

/** The length of the audio in seconds, null if it is not reported; undefined if the object is no transcript. */
function secondsOf(body: Fields, usage: Fields | undefined): unknown {
  const { text, words, metadata, results } = body
  if (Array.isArray(fields(results)?.channels)) return fields(metadata)?.duration ?? null
  if (body.kind === 'pre-recorded' && fields(body.result) !== undefined)
    return fields(body.file)?.audio_duration ?? null
  if (some(body.monologues) && Array.isArray(fields(body.monologues[0])?.elements)) return null
  if (typeof text !== 'string') return undefined
  if (usage?.type === 'duration') return usage.seconds
  if (usage?.prompt_audio_seconds !== undefined) return usage.prompt_audio_seconds
  if (body.task === 'transcribe' || body.task === 'translate') return body.duration ?? null
  if ('utterances' in body && 'audio_duration' in body) return body.audio_duration
  if ('language_probability' in body && some(words)) return fields(words.at(-1))?.end ?? null
  if (some(words) && typeof fields(words[0])?.start === 'number' && 'duration' in body) return body.duration
  return Array.isArray(body.chunks) && Array.isArray(body.languages ?? body.inferred_languages)
    ? (list(fields(body.chunks.at(-1))?.timestamp)[1] ?? null)
    : undefined
}

function modelOf(body: Fields): unknown {
  const model = body.model ?? body.speech_model
  if (model !== undefined) return model
  const models = Object.values(fields(fields(body.metadata)?.model_info) ?? {})
  return fields(models[0])?.name
}
