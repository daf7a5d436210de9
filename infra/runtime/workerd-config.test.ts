import { expect, it } from 'vitest'
import { egressRules } from './egress.ts'
import { text, workerdConfig } from './workerd-config.ts'

it('text escapes quotes, backslashes and control characters', () => {
  expect(text('a"b\\c\n\x00é')).toBe('"a\\"b\\\\c\\x0a\\x00é"')
})

it('the public network is open only when a public host is declared', () => {
  const settings = { env: {}, around: [], heap_mib: 64, agent_socket: '/a', watch_socket: '/w' }
  const publicOf = (network: string[]) =>
    /name = "public", network = \(allow = \[(.*?)\]/.exec(
      workerdConfig({ ...settings, rules: egressRules(network) }),
    )![1]
  expect(publicOf([])).toBe('')
  expect(publicOf(['127.0.0.1:80'])).toBe('')
  expect(publicOf(['api.example.com'])).toBe('"public"')
  expect(publicOf(['*'])).toBe('"public"')
})
