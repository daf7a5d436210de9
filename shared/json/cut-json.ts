// Says whether a text is JSON that begins and does not end. Guarantee: pure, in time that grows with the text.

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
