// Keeps the shared texts of a workbook in a temporary file, since a sheet may have a million. Guarantee: memory is bounded
// by GROUP, CACHED and two numbers for each group, the file by MOST_BYTES; it is gone when this is.

import { readSync } from 'node:fs'
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Texts that are read at once: sheets mostly name them one after the other. Long ones stand in smaller groups. */
const GROUP = { texts: 64, bytes: 256 * 1024 }
const MOST_BYTES = 2 * 1024 ** 3
/** Characters of the groups in memory. */
const CACHED = 4 * 1024 * 1024
const WRITTEN_AT_ONCE = 256 * 1024
/** Between texts; JSON's texts have none raw. */
const BREAK = '\n'

export class SharedTexts implements AsyncDisposable {
  length = 0
  readonly #folder: string
  readonly #file: FileHandle
  /** Where each group begins, and the end. */
  readonly #places: number[] = [0]
  /** The number of each group's first text. */
  readonly #firsts: number[] = [0]
  readonly #groups = new Map<number, string[]>()
  #cached = 0

  private constructor(folder: string, file: FileHandle) {
    this.#folder = folder
    this.#file = file
  }

  static async read(texts: AsyncIterable<string[]> | Iterable<string[]>): Promise<SharedTexts> {
    const folder = await mkdtemp(join(tmpdir(), 'assay-texts-'))
    const kept = new SharedTexts(folder, await open(join(folder, 'texts'), 'wx+', 0o600))
    try {
      await kept.#write(texts)
      return kept
    } catch (error) {
      await kept[Symbol.asyncDispose]()
      throw error
    }
  }

  /** Undefined where there is none. */
  at(index: number): string | undefined {
    if (!(index >= 0 && index < this.length)) return undefined
    let [low, high] = [0, this.#firsts.length]
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if (this.#firsts[middle]! <= index) low = middle
      else high = middle
    }
    return this.#group(low)?.[index - this.#firsts[low]!]
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close()
    await rm(this.#folder, { recursive: true, force: true })
  }

  async #write(texts: AsyncIterable<string[]> | Iterable<string[]>): Promise<void> {
    let [open, bytes, end] = ['', 0, 0]
    const flush = async () => {
      if (open !== '') await this.#file.appendFile(open)
      open = ''
    }
    for await (const some of texts) {
      for (const text of some) {
        const line = JSON.stringify(text) + BREAK
        open += line
        bytes += Buffer.byteLength(line)
        if (++this.length - this.#firsts.at(-1)! < GROUP.texts && bytes < GROUP.bytes) continue
        end += bytes
        bytes = 0
        this.#places.push(end)
        this.#firsts.push(this.length)
        if (end > MOST_BYTES) throw new Error(`the texts of its cells have over ${MOST_BYTES} bytes`)
      }
      if (open.length >= WRITTEN_AT_ONCE) await flush()
    }
    if (bytes > 0) this.#places.push(end + bytes)
    await flush()
  }

  #group(number: number): string[] | undefined {
    const known = this.#groups.get(number)
    if (known !== undefined) return known
    const [begin, end] = [this.#places[number], this.#places[number + 1]]
    if (begin === undefined || end === undefined) return undefined
    const bytes = Buffer.allocUnsafe(end - begin)
    readSync(this.#file.fd, bytes, 0, bytes.length, begin)
    const lines = bytes.toString('utf8').split(BREAK)
    lines.pop()
    const texts = lines.map(line => JSON.parse(line) as string)
    this.#cached += bytes.length
    this.#groups.set(number, texts)
    this.#forget(number)
    return texts
  }

  /** Forgets the groups that were read first, all but the newest. */
  #forget(newest: number): void {
    for (const number of this.#groups.keys()) {
      if (this.#cached <= CACHED || number === newest) return
      this.#groups.delete(number)
      this.#cached -= this.#places[number + 1]! - this.#places[number]!
    }
  }
}
