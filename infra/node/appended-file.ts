// Appends lines to a file. Guarantee: a file that takes nothing, as on a full disk, is no error of the process and fills
// no memory: lines that find no room are counted and left out, and when there is room again the first line says how many.

import { appendFile, rename, stat } from 'node:fs/promises'

export interface AppendedFileOptions {
  /** Most characters that wait to be written. */
  waiting: number
  /** A file longer than this, in bytes, is renamed, and a new one is opened; without a limit by default. */
  bytes?: number
  /** The line that says how many were left out. */
  leftOut(lines: number): string
}

export class AppendedFile {
  readonly #path: string
  readonly #options: AppendedFileOptions
  #waiting: string[] = []
  #characters = 0
  #left_out = 0
  #isCut = false
  #writing: Promise<void> | undefined

  constructor(path: string, options: AppendedFileOptions) {
    this.#path = path
    this.#options = options
  }

  /** @param line with its line break */
  write(line: string): void {
    if (this.#characters + line.length > this.#options.waiting) {
      this.#left_out++
      return
    }
    this.#waiting.push(line)
    this.#characters += line.length
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined
    })
  }

  /** Resolves when what was given is written, or left out. */
  async flush(): Promise<void> {
    await this.#writing
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      const lines = this.#waiting
      const left_out = this.#left_out
      this.#waiting = []
      this.#characters = 0
      const about = left_out > 0 ? this.#options.leftOut(left_out) : ''
      try {
        await this.#append(`${this.#isCut ? '\n' : ''}${about}${lines.join('')}`)
        this.#left_out -= left_out
        this.#isCut = false
      } catch {
        this.#left_out += lines.length
        this.#isCut = true // the file may end in a part of a line
      }
    }
  }

  async #append(text: string): Promise<void> {
    const { bytes } = this.#options
    if (bytes !== undefined) {
      const { size } = await stat(this.#path).catch(() => ({ size: 0 }))
      if (size + text.length > bytes) await rename(this.#path, `${this.#path}.1`)
    }
    await appendFile(this.#path, text, { mode: 0o600 })
  }
}
