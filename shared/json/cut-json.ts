// Reads JSON that begins and does not end. Guarantee: pure, in time that grows with the text.

const [QUOTE, BACKSLASH, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [34, 92, 91, 93, 123, 125]

/** Whether the text begins an object, a list or a string, and ends within it; what stands after their end is not read. */
export function isCutJson(text: string): boolean {
  const from = text.search(/\S/)
  if (from < 0) return false
  const first = text.charCodeAt(from)
  if (first !== OPEN_OBJECT && first !== OPEN_LIST && first !== QUOTE) return false
  let depth = 0
  let isQuoted = false
  for (let i = from; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (isQuoted) {
      if (code === BACKSLASH) i++
      else if (code === QUOTE) {
        if (depth === 0) return false
        isQuoted = false
      }
    } else if (code === QUOTE) isQuoted = true
    else if (code === OPEN_OBJECT || code === OPEN_LIST) depth++
    else if ((code === CLOSE_OBJECT || code === CLOSE_LIST) && --depth === 0) return false
  }
  return true
}

const COMMA = 44
const COLON = 58

/** The value of a JSON text or, if it ends early, of what there is of it; undefined if it is no JSON. */
export function parseCutJson(text: string): unknown {
  for (const json of [text, closed(text)]) {
    try {
      return JSON.parse(json)
    } catch {
      // Then as far as it goes.
    }
  }
  return undefined
}

/** The text with open strings, lists and objects closed, without the member or number that has no end. */
function closed(text: string): string {
  const open: string[] = []
  let isQuoted = false
  let isKey = false
  let end = 0 // of what stays if the text ends here
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (isQuoted) {
      if (code === BACKSLASH) i++
      else if (code === QUOTE) {
        isQuoted = false
        if (!isKey) end = i + 1
      }
    } else if (code === QUOTE) isQuoted = true
    else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      open.push(code === OPEN_LIST ? ']' : '}')
      isKey = code === OPEN_OBJECT
      end = i + 1
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) {
      open.pop()
      isKey = false
      end = i + 1
    } else if (code === COLON) isKey = false
    else if (code === COMMA) {
      isKey = open.at(-1) === '}'
      end = i
    }
  }
  const isOpenText = isQuoted && !isKey
  const kept = isOpenText ? `${text.replace(/\\(?:u[0-9a-fA-F]{0,3})?$/, endOfEscape)}"` : text.slice(0, end)
  return kept + open.reverse().join('')
}

/** An escape without its end is left out; a backslash that is escaped itself is not one. */
const endOfEscape = (found: string, at: number, text: string) => {
  let before = 0
  while (text[at - 1 - before] === '\\') before++
  return before % 2 === 0 ? '' : found
}
