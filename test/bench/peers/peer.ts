// What the bench asks of another queue. Its package is loaded from a folder of its own: none is a dependency of Assay.

import { createRequire } from 'node:module'
import { join } from 'node:path'

export interface At {
  /** Where the packages are installed. */
  folder: string
  databaseUrl: string
  redisUrl: string
}

/** What workers answer with, about 100 bytes. */
export const ANSWER = {
  ok: true,
  label: 'delivery',
  reason: 'the customer asks where a card is that was sent a week ago and has not come',
}

export interface Submitter {
  /** Resolves when all of them are stored. */
  submit(inputs: readonly object[]): Promise<void>
  /** Whether all that was submitted has been worked on, and that is stored. */
  isDone(): Promise<boolean>
  /** Removes what has ended. */
  tidy(): Promise<void>
  close(): Promise<void>
}

export interface Peer {
  open(at: At): Promise<Submitter>
  /** Works on items in this process for as long as it lives; says so of each that begins. */
  work(at: At, begun: () => void): Promise<void>
}

/** A package of that folder; its types are not installed where Assay is checked. */
export const load = <T>({ folder }: At, name: string): T =>
  createRequire(join(folder, 'package.json'))(name) as T
