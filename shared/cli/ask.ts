// Asks a person questions. Guarantee: callers ask only if `canAsk`, so a person at a terminal sees each question.

import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { EXIT, Failure } from './failure.ts'

export const canAsk = () => process.stdin.isTTY === true && process.stdout.isTTY === true

/** Returns the typed text without surrounding blanks. @throws Failure `interrupted` on Ctrl-C or Ctrl-D */
export const ask = async (question: string) => (await read(question, true)).trim()

/** Returns the typed text, blanks included, without showing it. @throws Failure `interrupted` */
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
