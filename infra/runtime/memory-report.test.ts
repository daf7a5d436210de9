import { expect, it } from 'vitest'
import { MemoryReport, parseOomKills } from './memory-report.ts'

const ALLOWED = { heap_mib: 256, memory_mib: 1024 }

it.each([
  ['<--- Last few GCs --->\nFATAL ERROR: Reached heap limit Allocation failed', '256 MiB of heap'],
  ['# Fatal process out of memory: Failed to reserve virtual memory', '1024 MiB of memory'],
  ['central_freelist.h:832] tcmalloc: allocation failed 8192\n', '1024 MiB of memory'],
  ['memory allocation of 8192 bytes failed\nnote: run with', '1024 MiB of memory'],
])('an end for memory is recognised however its words are cut: %s', (words, expected) => {
  for (let at = 0; at <= words.length; at++) {
    const report = new MemoryReport()
    report.read(Buffer.from(words.slice(0, at)))
    report.read(Buffer.from(words.slice(at)))
    report.read(Buffer.from('class 70: 0 objs\n'.repeat(1000)))
    expect(report.why('SIGABRT', ALLOWED)).toBe(`: it needed more than ${expected}`)
  }
})

it('no other end is taken for one', () => {
  const report = new MemoryReport()
  report.read(Buffer.from('TypeError: allocation is not a function'))
  expect(report.why('SIGKILL', ALLOWED)).toBe('')
  expect(report.why(null, ALLOWED)).toBe('')
})

it('the kernel’s count of processes that it ended for memory is read', () => {
  expect(parseOomKills('nr_free_pages 1\noom_kill 12\nnuma_hit 3\n')).toBe(12)
  expect(parseOomKills('nr_free_pages 1\n')).toBe(0)
})
