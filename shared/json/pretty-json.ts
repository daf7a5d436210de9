// Indents a JSON text. Guarantee: every token is kept as written, so numbers keep their digits and keys their order; a
// text that ends within a string keeps what there is of it.

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?$)|[{}[\]:,]|[^\s{}[\]:,"]+/gs

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

const TEXT_LINE = /^( *)("[^"\\]*(?:\\.[^"\\]*)*": )?("[^"\\]*(?:\\.[^"\\]*)*")(,?)$/

/**
 * Spreads the multi-line texts of an indented JSON text over lines, between triple quotes: for people, no longer JSON.
 *
 * @example textsOverLines('{\n  "a": "# one\\ntwo"\n}') // '{\n  "a": """\n    # one\n    two\n  """\n}'
 */
export function textsOverLines(pretty: string): string {
  if (!pretty.includes('\\n')) return pretty
  return pretty
    .split('\n')
    .map(line => {
      const [, indent, key = '', text, comma] = TEXT_LINE.exec(line) ?? []
      if (text === undefined || !text.includes('\\n')) return line
      const lines = (JSON.parse(text) as string).split('\n')
      if (lines.length === 1) return line // a backslash before an n
      return [`${indent}${key}"""`, ...lines.map(one => `${indent}  ${one}`), `${indent}"""${comma}`].join(
        '\n',
      )
    })
    .join('\n')
}
