// The interface that the bench needs of another queue. Its package is loaded from a folder of its own, because none is a
// dependency of Assay.

import { createRequire } from 'node:module'
import { join } from 'node:path'

export interface At {
  /** The folder in which the packages are installed. */
  folder: string
  databaseUrl: string
  redisUrl: string
}

/** The answer of the workers, about 100 bytes. */
export const ANSWER = {
  ok: true,
  label: 'delivery',
  reason: 'the customer asks where a card is that was sent a week ago and has not come',
}

export interface Submitter {
  /** Resolves when all items are stored. */
  submit(inputs: readonly object[]): Promise<void>
  /** Whether all submitted items have run and their results are stored. */
  isDone(): Promise<boolean>
  /** Removes the ended items. */
  tidy(): Promise<void>
  close(): Promise<void>
}

export interface Peer {
  open(at: At): Promise<Submitter>
  /** Works on items in this process until it ends, and reports each item that begins. */
  work(at: At, onStart: () => void): Promise<void>
}

/** Loads a package of that folder; its types are not available when Assay is type-checked. */
export const load = <T>({ folder }: At, name: string): T =>
  createRequire(join(folder, 'package.json'))(name) as T
