import { expect, it } from 'vitest'
import { namedSeq } from './named-item.ts'

it.for<[string, number | undefined]>([
  ['{"type":"result","seq":7,"attempt":1,"output":NaN}', 7],
  ['{"output":{"a":1,"a":2},"seq":7,"attempt":1}', 7],
  ['  {"seq" : 7', 7],
  ["{'type': 'result', 'seq': 7, 'output': True}", 7],
  ['{"output":"{\\"seq\\":3}","seq":7}', 7],
  ['{"output":{"seq":3},"seq":7}', 7],
  ['{"output":{"seq":3}}', undefined],
  ['{"output":"\\"seq\\":3"}', undefined],
  ['{"output":{"seq":3', undefined],
  ['{"seq":"7"}', undefined],
  ['{"seq":1234567890}', undefined],
  ['DEBUG {"seq":7}', undefined],
  ['[{"seq":7}]', undefined],
  ['{"a":1}{"seq":7}', undefined],
  ['seq: 7', undefined],
  ['', undefined],
])('a line that cannot be read names its item by a field of its own: %s', ([line, seq]) => {
  expect(namedSeq(line)).toBe(seq)
})

it.for<[string, number | undefined]>([
  ['xxxx","seq":7,"attempt":1}', 7],
  ['xxxx"},"attempt":1,"seq":7,"type":"result"}', 7],
  ['xxxx]},"seq":7}', 7],
  ['"seq":7,"attempt":1,"note":"x"}', undefined],
  ['xxxx \\"seq\\":7}"}', undefined],
  ['xxxx', undefined],
])('a line of which only beginning and end are known may name it at its end: %s', ([tail, seq]) => {
  const head = '{"type":"result","output":"xxxxxxxx'
  expect(namedSeq({ problem: '', head, tail, bytes: 0 })).toBe(seq)
  expect(namedSeq({ problem: '', head: '{"seq":9,"output":"xx', tail, bytes: 0 })).toBe(9)
})

it.for([
  `1,${'"seq":1 '.repeat(500)}x`,
  `1,${'"seq":1,'.repeat(500)}x`,
  `${'1 '.repeat(2000)}x`,
  `1${' '.repeat(4000)}x`,
])('a line that is made to be hard to read is read in linear time', tail => {
  expect(namedSeq({ problem: '', head: '{"output":"', tail, bytes: 0 })).toBeUndefined()
})
