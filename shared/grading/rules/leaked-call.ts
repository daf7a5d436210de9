// Finds a tool call that was left in the text of an answer, in the format of each family. Guarantee: pure, of bounded
// cost whatever the text; a call in code, between quotation marks, or as an example within a longer text is none.

import { fields, filled, list } from '../../providers/rules/answer.ts'
import { offeredTools } from '../../providers/rules/offered-tools.ts'
import { afterThinking } from '../../refusals/rules/thinking.ts'

/** How much of an answer is read; a call that is longer fills it. */
const BODY_CHARACTERS = 20_000
/** What a model says around a call is short; a call in a longer text is an example, unless it is most of it. */
const AROUND_CHARACTERS = 600
const DATA_CHARACTERS = 100_000

const NAME = '[\\w.:-]{1,64}'
/** An object or a list of objects with what calls have, whatever else they have. */
const CALL_JSON = `\\[?\\s{0,20}\\{[^{}]{0,300}["'](?:name|function|tool|tool_name|arguments|parameters|action)["']`
const CALL_TAG = '(?:[a-z_]{1,12}[:_])?(?:tool_?calls?|function_?calls?|tool_?use)'
/** Tags that data have as well: a catalogue of tools, a list of functions. */
const WORD_TAG = '(?:[a-z_]{1,12}[:_])?(?:tool|function)'
const FENCE = '(?:```\\w{0,10}\\s{0,20})?'
const ARGUMENT_NAMES = '(?:arguments|parameters|args|params|input|action_input|tool_input)'

/** How calls begin. None of these begins an ordinary sentence. */
const BEGINNINGS = [
  // Hermes, Qwen, Granite, Hunyuan, Jamba, Nemotron, xLAM, Glaive …
  `<${CALL_TAG}>\\s{0,20}${FENCE}${CALL_JSON}`,
  `<${WORD_TAG}>\\s{0,20}${FENCE}\\[?\\s{0,20}\\{[^{}]{0,300}["'](?:${ARGUMENT_NAMES}|tool_name)["']`,
  // Qwen Coder, Llama, Functionary, Seed
  `(?:<(?:${CALL_TAG}|${WORD_TAG})>\\s{0,20})?<function\\s?[=(]\\s?["']?${NAME}`,
  `<${CALL_TAG}>\\s{0,20}<(?:[a-z]{1,12}:)?(?:function|invoke|tool_name|tool|name|call)\\b`,
  `<${WORD_TAG}>\\s{0,20}<(?:[a-z]{1,12}:)?(?:invoke|tool_name|call)\\b`,
  `<${WORD_TAG}>\\s{0,20}<name>\\s{0,20}${NAME}\\s{0,20}</name>\\s{0,20}<${ARGUMENT_NAMES}\\b`,
  `<function name=["']?${NAME}["']?>\\s{0,20}[{<]`,
  // Claude, MiniMax
  `<(?:[a-z]{1,12}:)?invoke name=["']?${NAME}["']?>`,
  // GLM, Olmo
  `(?:<tool_call>\\s{0,20})?${NAME}\\s{0,20}<arg_key>[^<]{0,200}</arg_key>`,
  `<(?:tool_call|function_calls)>\\s{0,20}${NAME}\\s{0,20}(?:</tool_call>|\\([^\\n]{0,300}\\)|\\{)`,
  // DeepSeek
  '<｜(?:DSML|tool▁)',
  `(?:function)?<｜tool▁sep｜>`,
  // Llama, Mistral
  `<\\|python_(?:tag|start)\\|>\\s{0,20}(?:[[{]|[a-zA-Z_][\\w.]{0,80}\\(|(?:import|from) \\w)`,
  `\\[TOOL_CALLS?\\]\\s{0,20}(?:\\[|\\{|${NAME}\\s{0,5}(?:\\[|\\{))`,
  `${NAME}\\[(?:ARGS|CALL_ID)\\]`,
  // Kimi, Granite, Phi, Cohere, LFM, InternLM, Apertus, Solar, Gemma
  `<\\|(?:tool_calls?(?:_section)?(?:_begin|_start)?|START_ACTION|action_start|tools_prefix|plugin|function_calls?)\\|>\\s{0,20}(?:[[{<]|${NAME}\\s{0,5}[({])`,
  `functions\\.${NAME}:\\d{1,4}\\s{0,5}(?:<\\|tool_call_argument_begin\\|>)?\\s{0,5}\\{`,
  `<(?:\\|tool_call|start_function_call)>\\s{0,5}call:`,
  `functools\\s?\\[\\s{0,20}\\{`,
  `Action:\\s{0,5}\`\`\`\\w{0,10}\\s{0,20}${CALL_JSON}`,
  // gpt-oss
  `(?:<\\|start\\|>assistant)?(?:<\\|channel\\|>)?(?:commentary|analysis)\\s?to=${NAME}`,
  `(?:<\\|start\\|>assistant )?to=functions\\.${NAME}`,
  // Functionary
  `>>>${NAME}\\s{0,5}\\n\\s{0,20}\\{`,
  `<\\|from\\|>\\s?assistant\\s{0,5}<\\|recipient\\|>\\s?(?!all)${NAME}`,
  // Gemini
  `(?:print\\()?default_api\\.\\w{1,64}\\(`,
  `(?:<ctrl\\d{1,3}>)?call:(?:default_api:)?[a-z_]\\w{0,63}\\{`,
  `<ctrl\\d{1,3}>call`,
  `<tool_code>\\s{0,20}(?:print\\()?[\\w.]{1,80}\\(`,
]
/** A word's tag around no more than a name, which is a call if that tool is offered. */
const NAMED = new RegExp(
  `^<${WORD_TAG}>\\s{0,20}(?:<name>\\s{0,20}(?<tagged>${NAME})\\s{0,20}</name>|${FENCE}\\{\\s{0,20}["'](?:name|function|tool|action)["']\\s{0,5}:\\s{0,5}["'](?<given>${NAME})["'])`,
  'i',
)
/** Each of them has one of these; many texts have none. */
const MARK = /[<[={_]/
/** A call begins the text, a line, or what follows a sentence. */
const BEGINNING = new RegExp(`(?:^|[\\n.!?:…。！？：])[ \\t]{0,8}(?<call>${BEGINNINGS.join('|')})`, 'giu')

/** How calls end, where something follows them. */
const ENDS =
  /<\/(?:[a-z_]{1,12}[:_])?(?:tool_?calls?|function_?calls?|tool_?use|tools?|function|action|invoke|tool_code)>|<\/｜DSML｜[^>\n]{1,40}>|<｜tool▁calls?▁end｜>|<\|(?:\/tool_calls?|tool_calls?(?:_section)?_end|END_ACTION|call|eom_id|eot_id|im_end|end|python_end|tools_suffix|action_end)\|>|<tool_call\|>|<end_function_call>/gi

/** The family that writes calls into a fence names the fence so. */
const CALL_FENCE = /(?:^|\n)[ \t]{0,8}```(?:tool_code|tool_calls?|function_calls?|tool_use)\s{0,5}\n/

/** Words of a text that explains how calls are written; what they introduce is an example. */
const EXPLAINS =
  /\b(?:examples?|format(?:ted|s)?|syntax|looks? like|template|tags?|tokens?|tool[ _-]?calls?|function[ _-]?calls?|schema|xml|outputs?|emits?|writes?|returns?|prompt|beispiel|ejemplo|exemple|esempio|voorbeeld|exemplo|przykład|örnek)\b|пример|示例|例如|例えば|例|예시|مثال/iu

/** Whether what stands before and after a call leaves it the point of the text. */
function isPoint(before: string, call: string, after: string, isOffered: boolean): boolean {
  const around = before.length + after.length
  if (around > Math.max(AROUND_CHARACTERS, call.length)) return false
  if (isOffered) return true
  if (after !== '' && around > call.length) return false
  return !(/[:：]$/.test(before) && EXPLAINS.test(before))
}

/** Whether a place is in a fence, or in code within its line. */
function isInCode(before: string): boolean {
  const ticks = (text: string, of: string) => text.split(of).length - 1
  const line = before.slice(before.lastIndexOf('\n') + 1)
  return ticks(before, '```') % 2 === 1 || ticks(before, '~~~') % 2 === 1 || ticks(line, '`') % 2 === 1
}

/** The call that the text holds in the format of a family. */
function markedCall(body: string, isOffered: boolean): string | undefined {
  for (const met of body.slice(0, 2 * AROUND_CHARACTERS).matchAll(BEGINNING)) {
    const begin = met.index + met[0].length - met.groups!.call!.length
    const before = body.slice(0, begin)
    if (isInCode(before)) continue
    const end = [...body.slice(begin).matchAll(ENDS)].at(-1)
    const until = end === undefined ? body.length : begin + end.index + end[0].length
    const call = body.slice(begin, until)
    return isPoint(before.trim(), call, body.slice(until).trim(), isOffered) ? call : undefined
  }
  return undefined
}

function fencedCall(body: string, isOffered: boolean): string | undefined {
  const fence = CALL_FENCE.exec(body.slice(0, 2 * AROUND_CHARACTERS))
  if (fence === null || isInCode(body.slice(0, fence.index))) return undefined
  const begin = fence.index + fence[0].length
  const end = body.indexOf('\n```', begin)
  const call = body.slice(begin, end < 0 ? body.length : end)
  const after = end < 0 ? '' : body.slice(end + '\n```'.length).trim()
  return isPoint(body.slice(0, fence.index).trim(), call, after, isOffered) ? call : undefined
}

const ARGUMENTS = [
  'arguments',
  'parameters',
  'args',
  'input',
  'action_input',
  'params',
  'tool_input',
] as const

/** Whether the value is a call of one of these tools, as JSON that some families write without any mark. */
function callsOne(value: unknown, tools: ReadonlySet<string>): boolean {
  const one = fields(value)
  if (one === undefined) return false
  const inner = fields(one.function) ?? one
  const name = [inner.name, one.function, one.tool, one.tool_name, one.action].find(filled)
  if (name !== undefined && tools.has(name)) return ARGUMENTS.some(key => inner[key] !== undefined)
  const [only, ...more] = Object.keys(one)
  return only !== undefined && more.length === 0 && tools.has(only) && fields(one[only]) !== undefined
}

function isBareJson(text: string, tools: ReadonlySet<string>): boolean {
  if (text.length > DATA_CHARACTERS) return false
  try {
    const value: unknown = JSON.parse(text)
    const calls = Array.isArray(value) ? value : list(fields(value)?.tool_calls)
    return calls.length > 0 ? calls.every(call => callsOne(call, tools)) : callsOne(value, tools)
  } catch {
    return false
  }
}

const FENCED = /```(?:json|python|xml)?\s{0,20}\n([^`]+)```\s*$/
/** A name with its arguments: in brackets, as an object, or in a tag of its name. */
const NAMED_CALL =
  /^(?:\[\s{0,20}(?<listed>[\w.-]{1,80})\(|(?:print\()?(?<called>[\w.-]{1,80})\(|(?:Action:\s{0,5}|>>>)?(?<given>[\w.-]{1,80})\s{0,20}(?:Action Input:\s{0,5})?\{|<(?<tag>[\w.-]{1,80})>)/

/** A call of an offered tool without any mark, as the whole text or after a few words. */
function bareCall(body: string, tools: ReadonlySet<string>): string | undefined {
  const text = body.trim()
  const call = (FENCED.exec(text)?.[1] ?? text).trim()
  const json = call.slice(0, AROUND_CHARACTERS).search(/(?:^|\n)\s{0,20}[[{]/)
  if (json >= 0 && isBareJson(call.slice(json).trim(), tools)) return call
  const named = NAMED.exec(call)?.groups
  if (named !== undefined) return tools.has((named.tagged ?? named.given)!) ? call : undefined
  const { listed, called, given, tag } = NAMED_CALL.exec(call)?.groups ?? {}
  const name = listed ?? called ?? given ?? tag
  if (name === undefined || !tools.has(name.slice(name.lastIndexOf('.') + 1))) return undefined
  const isWhole = tag === undefined ? /[)\]}]$/.test(call) : call.endsWith(`</${tag}>`)
  return isWhole ? call : undefined
}

/** The tool call that was left in the text. `input` is the request, if it is known: it says which tools it offers. */
export function leakedCallIn(text: string, input?: unknown): string | undefined {
  const begin = afterThinking(text) ?? 0
  const whole = text.slice(begin, begin + BODY_CHARACTERS).trim()
  const head = whole.slice(0, 2 * AROUND_CHARACTERS)
  const tools = input === undefined || input === null ? undefined : offeredTools(input)
  const isOffered = tools !== undefined && tools.size > 0
  return (
    (head.includes('```') ? fencedCall(whole, isOffered) : undefined) ??
    (MARK.test(head) ? markedCall(whole, isOffered) : undefined) ??
    (isOffered ? bareCall(whole, tools) : undefined)
  )
}
