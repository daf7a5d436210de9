// Tells a model's refusal from its wording, for answers whose provider does not mark it.
// Guarantee: it errs on the side of "no refusal"; customers write "I can't" too, and their words get quoted.

/** Longer answers give reasons, quote, or help in part: not judged by their opening. */
const MAX_CHARACTERS = 500

const either = (...alternatives: string[]) => `(?:${alternatives.join('|')})`
const maybe = (...alternatives: string[]) => `(?:${alternatives.join('|')})?`

const APOLOGY = `${either(
  "i'm (?:really |very |so |truly )?sorry",
  'i am sorry',
  'sorry',
  'i apologi[sz]e',
  'my apologies',
  'unfortunately',
  'thank you for (?:asking|your (?:question|request))',
)}(?: about that)?[,.;:!]?\\s+(?:(?:but|however),?\\s+)?`

const A_MODEL = either('an ai', 'a (?:large )?language model')
const SELF_NAMING = maybe(
  `as ${A_MODEL}[^.,]{0,40},\\s*`,
  `i(?:'m| am) (?:just |only )?${A_MODEL}[^.,]{0,40}[.,]\\s*(?:so|and)?\\s*`,
)

const UNABLE =
  "i(?:'m| am)? (?:(?:really|simply|afraid i) )?" +
  either(
    "can't",
    'cannot',
    'can not',
    '(?:am )?unable to',
    '(?:am )?not able to',
    "(?:won't|will not)(?: be able to)?",
    'not (?:programmed|allowed) to',
    '(?:must|have to) decline to',
  ) +
  ' '

/** Where the refused thing ends, so that "help with that" does not match "help with that invoice". */
const END = `(?=\\s*${either('[.,;:!?\\u2013\\u2014]', '$')}|\\s+${either('as', 'because', 'since', 'or', 'and', 'due', 'at this time', 'right now', 'in any way')}\\b)`

const THAT = either('that', 'this', 'your', 'such')
const KIND = maybe(' (?:specific|particular)', ' (?:kind|type|sort) of')
const REQUEST = either(
  'requests?',
  'task',
  'topic',
  'question',
  'query',
  'prompt',
  'subject',
  'conversation',
  'activit(?:y|ies)',
  'content',
)

const HARMFUL = `(?:anything )?${either('illegal', 'harmful', 'dangerous', 'unethical', 'malicious', 'hateful', 'violent', 'sexual', '(?:sexually )?explicit', 'discriminatory')}\\b`
const MADE = either(
  '(?:content|material|instructions|guidance) (?:that|which|promoting|depicting|involving|on how to|(?:on|for) (?:making|creating|building))\\b',
  '(?:medical|legal|financial|tax|investment) advice\\b',
)

const REFUSED = either(
  `(?:help|assist)(?: you)?(?: with)? (?:it|these|those|${THAT}(?:${KIND} ${REQUEST})?)${END}`,
  `(?:help|assist)(?: you)?(?: with| in)? ${either('creating', 'generating', 'writing', 'producing')}\\b`,
  `(?:help|assist)(?: you)?(?: with| in)? ${HARMFUL}`,
  `(?:assist|comply)${END}`,
  `${either('comply with', 'fulfill?', 'carry out', 'accommodate', 'answer', 'respond to', 'engage (?:in|with)', 'discuss', 'continue(?: with)?')} ${THAT}${KIND} ${REQUEST}${END}`,
  `${either('create', 'generate', 'write', 'produce', 'provide', 'share', 'give', 'offer', 'engage (?:in|with)', 'discuss')}(?: you(?: with)?)? ${maybe('any ', 'such ', 'specific ', 'detailed ')}${either(MADE, HARMFUL)}`,
)

const DECLINING = either(
  `i (?:must|have to|need to) (?:respectfully )?(?:decline|refuse)(?: ${THAT} (?:request|task|prompt)| to (?:answer|help|assist|comply|respond|engage)(?: (?:with )?${THAT}(?: ${REQUEST})?)?)${END}`,
  `i(?:'m| am) not comfortable with ${THAT} request`,
  `i(?:'m not| am not| don't feel| do not feel) comfortable (?:helping|assisting|writing|creating|generating|providing|producing)\\b`,
)

const OPENINGS = [
  new RegExp(`^(?:${APOLOGY})?${SELF_NAMING}${UNABLE}${REFUSED}`),
  new RegExp(`^(?:${APOLOGY})?${SELF_NAMING}${DECLINING}`),
  // Too short to tell from a customer's own words without the apology.
  new RegExp(
    `^${APOLOGY}${SELF_NAMING}${UNABLE}(?:do|create|generate|write|produce|provide) (?:that|this)${END}`,
  ),
]

/** "My" card, order or office is a customer's; "my guidelines" are a model's. */
const CUSTOMERS_OWN =
  /\b(?:my|our|we|we're)\b(?! (?:guidelines|programming|training|polic|capabilit|abilit|knowledge|instructions|content|safety|ethic|core|purpose|principles|values|limitations|usage|use case|terms))/
const PARTIAL_HELP = /\b(?:here's|here is|here are|below is|below are)\b/

/** Whether a model's whole answer is a refusal. */
export function isRefusal(text: string): boolean {
  if (text.length > MAX_CHARACTERS) return false
  const said = text.trim().toLowerCase().replaceAll('\u2019', "'")
  const length = OPENINGS.reduce(
    (longest, opening) => Math.max(longest, opening.exec(said)?.[0].length ?? 0),
    0,
  )
  return length > 0 && !CUSTOMERS_OWN.test(said.slice(length)) && !PARTIAL_HELP.test(said)
}
