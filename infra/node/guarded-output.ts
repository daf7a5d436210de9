// Keeps a process alive whose standard output or error cannot be written: a full disk behind a file, a reader that has
// gone. Guarantee: what cannot be printed is dropped, and a file is written again when its disk has room.

import { fstatSync, writeSync } from 'node:fs'

/** Called first in every process that serves. */
export function guardOutput(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', () => {})
    // Node gives up a file for good at its first error.
    if (isFile(stream.fd)) stream._write = (chunk, _, done) => void done(writeOrDrop(stream.fd, chunk))
  }
}

function writeOrDrop(fd: number, chunk: string | Uint8Array): undefined {
  try {
    for (let left = Buffer.from(chunk as Uint8Array); left.length > 0; )
      left = left.subarray(writeSync(fd, left))
  } catch {
    // dropped
  }
}

function isFile(fd: number): boolean {
  try {
    return fstatSync(fd).isFile()
  } catch {
    return false // closed by whoever started the process
  }
}
