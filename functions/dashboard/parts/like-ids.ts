// Makes whole ids of a part that people type, such as a number, by ids that there are. Guarantee: pure, and at most
// `most` ids, so that looking each up by the index of ids stays cheap.

/** Its last number, what comes before it and what comes after it. */
const PARTS = /^(.*?)(\d+)([^\d]*)$/su

/** Letters and digits, in lower case: `T-1044` is also found as `t1044`. */
const plain = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')

/**
 * The ids that a text may stand for, if they are formed like the known ones, the first of these first.
 *
 * @example likeIds('1044', ['T-0007', 'INV/12/a']) // ['T-1044', 'INV/1044/a']
 */
export function likeIds(text: string, known: readonly string[], most = 8): string[] {
  const asked = PARTS.exec(text.trim())
  if (asked === null) return []
  const [, before = '', digits = '', after = ''] = asked
  const found = known.flatMap(id => {
    const [, head = '', number = '', tail = ''] = PARTS.exec(id) ?? []
    const fits = number !== '' && plain(head).endsWith(plain(before)) && plain(tail).startsWith(plain(after))
    if (!fits) return []
    const width = number.startsWith('0') ? number.length : 0
    return [head + digits.replace(/^0+(?=\d)/, '').padStart(width, '0') + tail, head + digits + tail]
  })
  return [...new Set(found)].filter(id => id !== text.trim()).slice(0, most)
}
