// Says whether a text says nothing: it is blank, or thinking without an answer. Guarantee: pure, in time that grows with
// the text; a text that may be an answer says something.

import { afterLostThinking, afterThinking } from '../../refusals/rules/thinking.ts'
import { withoutCode } from './prose.ts'

/**
 * A character that shows. Those that do not: space, what fonts ignore (zero width, soft hyphen, fillers, marks of
 * direction), control characters, the blanks of Braille and of music, and marks of annotations and objects.
 */
const SHOWS = /[^\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}\u2800\ufff9-\ufffc\u{16fe4}\u{1d159}]/u

/** Nothing that shows; does not copy the text, as trim would. */
export const isBlank = (text: string): boolean => !SHOWS.test(text)

/** What families put around the answer after their thinking. Of a longer rest, something is an answer. */
const WRAPPING =
  /<\|start\|>assistant|<\|channel\|>(?:final|commentary)|<\|[\w ]{1,40}\|>|<\/?(?:answer|response|output|final|final_answer|solution|s)>|<(?:end|start)_of_turn>|(?:Here(?:'s| is)|This is) my response:|assistant(?:final|commentary)|^\s*(?:```|~~~)\w{0,20}\s*(?:```|~~~)?\s*$/g
const WRAPPING_CHARACTERS = 200

const isEmptyRest = (rest: string) => {
  if (isBlank(rest)) return true
  const shown = rest.trim()
  return shown.length <= WRAPPING_CHARACTERS && isBlank(shown.replace(WRAPPING, ''))
}

/** A fence with nothing in it. */
const EMPTY_FENCE = /^\s{0,20}(```|~~~)[ \t]{0,20}[\w+-]{0,20}\s{0,20}\1?\s{0,20}$/

/** Whether the text is blank, an empty fence, or thinking that no answer follows. */
export function saysNothing(text: string): boolean {
  if (isBlank(text) || EMPTY_FENCE.test(text)) return true
  const begins = afterThinking(text)
  if (begins === undefined) return true
  if (begins > 0) return isEmptyRest(text.slice(begins))
  const lost = afterLostThinking(text)
  return (
    lost !== undefined && isEmptyRest(text.slice(lost)) && afterLostThinking(withoutCode(text)) !== undefined
  )
}
