// Finds where a model's thinking ends and its answer begins, in the marks of each family. Guarantee: pure, in time that
// grows with the text; a text that begins with no such mark has no thinking, and a mark that is an ordinary word marks
// thinking only before an answer.

/** How a family begins its thinking, and how it ends it. */
interface Marks {
  /** The characters that its beginning may begin with. */
  first: string
  begin: RegExp
  /** The mark that ends what this match began, to be searched from its end. */
  end: (start: RegExpExecArray) => RegExp
  /** It is a word of prompts, and of data as well: `<reason>` with nothing after it is what was asked for. */
  isWord?: true
}

const WORDS = 'thought|reason(?:ing)?|reflect(?:ion)?|scratchpad|monologue|cot'
const THINK = 'think(?:ing)?'
/** Names of tags, also with a prefix (`seed:think`, `chain_of_thought`) or what it is of (`thinking_process`). */
const tag = (names: string) =>
  `(?:[a-z]{1,12}[:_]){0,2}(?:ant)?(?:${names})(?:_(?:process|content|block|trace|fast|faster))?`
const beginOf = (names: string) => new RegExp(`<(${tag(names)})(?:\\s[^<>\\n]{0,100})?>`, 'iy')
const endOf = ([, name]: RegExpExecArray) => new RegExp(`</${name}\\s{0,4}>`, 'ig')

const always = (end: RegExp) => () => end

const FAMILIES: readonly Marks[] = [
  // DeepSeek, Qwen, GLM, MiniMax, Nemotron, Phi (think), Claude (thinking), Seed and others
  { first: '<', begin: beginOf(THINK), end: endOf },
  // Exaone, Gemini (thought), and many prompts
  { first: '<', begin: beginOf(WORDS), end: endOf, isWord: true },
  { first: '[', begin: /\[(think(?:ing)?)\]/iy, end: ([, name]) => new RegExp(`\\[/${name}\\]`, 'ig') }, // Magistral
  { first: '[', begin: /\[reasoning\]/iy, end: always(/\[\/reasoning\]/gi), isWord: true },
  { first: '◁', begin: /◁think▷/y, end: always(/◁\/think▷/g) }, // Kimi-VL
  // gpt-oss, with its tokens and without
  {
    first: '<',
    begin: /(?:<\|start\|>assistant)?<\|channel\|>analysis(?:<\|message\|>)?/y,
    end: always(/<\|end\|>|<\|return\|>|<\|start\|>|<\|call\|>/g),
  },
  {
    first: 'a',
    begin:
      /analysis(?=(?:We|The|User|I|It|This|They|Need|Let|Just|Should|Simple|First|Okay|So|Hmm)\b['’]?\w*\s)/y,
    end: always(/assistant(?:final|(?=commentary))/g),
  },
  { first: '<', begin: /<\|channel>thought/y, end: always(/<channel\|>/g) }, // Gemma 4
  { first: '<', begin: /<unused94>(?:thought)?/y, end: always(/<unused95>/g) }, // MedGemma
  // Command A, OpenThinker, Solar and others
  {
    first: '<',
    begin: new RegExp(`<\\|(?:(?:start|begin)_(?:of_)?)?(${THINK}|${WORDS})(?:_(?:start|begin))?\\|>`, 'iy'),
    end: ([, name]) => new RegExp(`<\\|(?:/|end_(?:of_)?)${name}\\|>|<\\|${name}_end\\|>|<\\|end\\|>`, 'ig'),
  },
  { first: '<', begin: /<\|inner_prefix\|>/y, end: always(/<\|inner_suffix\|>/g) }, // Apertus
  // Granite
  {
    first: 'HT',
    begin: /(?:Here(?:'s| is) my thought process|This is my thought process):/y,
    end: always(/(?:Here(?:'s| is)|This is) my response:/g),
  },
]

/** Invisible characters count as space. */
const SPACE = /[\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}]*/uy
const BY_FIRST = Map.groupBy(
  FAMILIES.flatMap(marks => [...marks.first].map(first => ({ ...marks, first }))),
  ({ first }) => first,
)
/** Thinking comes in one piece, or in some between tool calls. */
const MOST_PIECES = 50

/** Whether it is a visible character of ASCII, as most texts begin with. */
const shows = (code: number) => code > 0x20 && code < 0x7f

const matchAt = (pattern: RegExp, text: string, from: number) => {
  pattern.lastIndex = from
  return pattern.exec(text)
}

/** Where the answer begins after `from` and its thinking; undefined if the thinking has no end. */
export function afterThinking(text: string, from = 0): number | undefined {
  let at = from
  /** Where the answer begins if the pieces in words are a part of it. */
  let words: number | undefined
  for (let piece = 0; piece < MOST_PIECES; piece++) {
    const start = shows(text.charCodeAt(at)) ? at : at + (matchAt(SPACE, text, at)?.[0].length ?? 0)
    if (start === text.length) return words ?? at
    const met = marksAt(text, start)
    if (met === undefined) return at
    if (met.isWord) words ??= at
    const end = matchAt(met.end, text, met.after)
    if (end === null) return words
    at = end.index + end[0].length
  }
  return at
}

function marksAt(text: string, start: number): { end: RegExp; after: number; isWord: boolean } | undefined {
  for (const { begin, end, isWord = false } of BY_FIRST.get(text[start] ?? '') ?? []) {
    const opened = matchAt(begin, text, start)
    if (opened !== null) return { end: end(opened), after: start + opened[0].length, isWord }
  }
  return undefined
}

/**
 * The marks that end a thinking whose beginning the server took away, as it does for templates that begin it. Words are
 * none: `<reason>` may have started the answer in the request.
 */
const LAST_END = new RegExp(
  `(?:</(${tag(THINK)})>|\\[/${THINK}\\]|◁/think▷|<channel\\|>|<unused95>|<\\|END_THINKING\\|>|<\\|end_of_thought\\|>)`,
  'ig',
)
/** Each of them has one of these; most texts have none. */
const END_MARKS = ['</', '[/', '◁/', '|>', '<unused']
const END_CHARACTERS = 400
/** The thinking before it ended with a sentence or a line; a line that ends with a colon introduces a quoted mark. */
const ENDED = /(?:^|[.!?…。！？]|[^:：\s]\s*\n)\s*$/

/** Where the answer begins, if a thinking without a beginning ends near the end of the text. */
export function afterLostThinking(text: string): number | undefined {
  const from = Math.max(0, text.length - END_CHARACTERS)
  const end = text.slice(from)
  if (!END_MARKS.some(mark => end.includes(mark))) return undefined
  const last = [...end.matchAll(LAST_END)].at(-1)
  if (last === undefined) return undefined
  const at = from + last.index
  const isStarted = last[1] !== undefined && text.toLowerCase().includes(`<${last[1].toLowerCase()}>`)
  return !isStarted && ENDED.test(text.slice(Math.max(0, at - END_CHARACTERS), at))
    ? at + last[0].length
    : undefined
}
