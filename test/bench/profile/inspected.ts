// Is loaded into the server before its own modules (--import). When its parent sends a message, it records which functions
// use the processor, and writes the recording into a file.

import { writeFile } from 'node:fs/promises'
import { Session } from 'node:inspector/promises'

/** The file for the recording; without it, recording begins. */
export interface Word {
  write?: string
}

const INTERVAL_US = 250

const session = new Session()
session.connect()

process.on('message', async ({ write }: Word) => {
  if (write === undefined) {
    await session.post('Profiler.enable')
    await session.post('Profiler.setSamplingInterval', { interval: INTERVAL_US })
    await session.post('Profiler.start')
  } else {
    const { profile } = await session.post('Profiler.stop')
    await writeFile(write, JSON.stringify(profile))
  }
  process.send!({})
})
process.channel!.unref() // the server ends as it would without this
