// Indents a JSON text. Guarantee: every token is kept as it was written, so numbers keep their digits and keys their
// order.

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:,]|[^\s{}[\]:,"]+/gs

/** @example prettyJson('{"n":1.50}') // '{\n  "n": 1.50\n}' */
export function prettyJson(text: string): string {
  let pretty = ''
  let depth = 0
  let before = ''
  const line = () => `\n${'  '.repeat(depth)}`
  for (const [token] of text.matchAll(TOKEN)) {
    const closes = token === '}' || token === ']'
    if (closes) depth = Math.max(0, depth - 1)
    const opened = before === '{' || before === '['
    if (opened ? !closes : closes || before === ',') pretty += line()
    pretty += token === ':' ? ': ' : token
    if (token === '{' || token === '[') depth++
    before = token
  }
  return pretty
}
