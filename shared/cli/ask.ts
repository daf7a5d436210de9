// Questions to a person. Guarantee: nothing is asked unless a person sits at a terminal who can see the question.

import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { EXIT, Failure } from './failure.ts'

export const canAsk = () => process.stdin.isTTY === true && process.stdout.isTTY === true

/** What is typed, without blanks around it. @throws Failure `interrupted` on Ctrl-C or Ctrl-D */
export const ask = async (question: string) => (await read(question, true)).trim()

/** What is typed, to the last blank, and nothing of it is shown. @throws Failure `interrupted` */
export const askHidden = (question: string) => read(question, false)

export async function confirm(question: string): Promise<boolean> {
  return /^y(es)?$/i.test(await ask(`${question} [y/N] `))
}

async function read(question: string, isShown: boolean): Promise<string> {
  const { stdin, stdout } = process
  const unseen = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: stdin, output: isShown ? stdout : unseen, terminal: true })
  const ended = Promise.withResolvers<never>()
  lines.once('close', () =>
    ended.reject(new Failure(EXIT.interrupted, 'interrupted', 'nothing was answered, and nothing was done')),
  )
  lines.once('SIGINT', () => lines.close())
  if (!isShown) stdout.write(question)
  try {
    return await Promise.race([lines.question(isShown ? question : ''), ended.promise])
  } finally {
    ended.promise.catch(() => {})
    lines.close()
    if (!isShown) stdout.write('\n')
  }
}
