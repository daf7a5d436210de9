// Shows a message of the API with the items and runs that it names as links.

import { ofItem, ofRun } from './addresses.ts'

const NAMED = /\b((?:item|replay|run) )([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/gi

export const Linked = ({ text }: { text: string }) => {
  const found = [...text.matchAll(NAMED)]
  const end = ({ index, 0: whole }: RegExpExecArray) => index + whole.length
  return (
    <>
      {found.map((one, at) => {
        const [, noun = '', id = ''] = one
        const of = noun.toLowerCase() === 'run ' ? ofRun : ofItem
        return (
          <>
            {text.slice(at === 0 ? 0 : end(found[at - 1]!), one.index)}
            {noun}
            <a href={of(id)}>{id.slice(-8)}</a>
          </>
        )
      })}
      {text.slice(found.length === 0 ? 0 : end(found.at(-1)!))}
    </>
  )
}
