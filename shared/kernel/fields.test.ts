import { expect, it } from 'vitest'
import { isHttpUrl } from './fields.ts'
import { shownUrl } from './shown-url.ts'

const SECRET = 'services/T012AB3CD/B02EF4GH5/abcdefghijklmnopqrstuvwx'

it.each([
  `https://hooks.example/${SECRET}`,
  `HTTPS://hooks.example/${SECRET}`,
  `https://hooks.example:8443/${SECRET}?a=b`,
])('%j is an address, whose secret is not shown', url => {
  expect(isHttpUrl(url)).toBe(true)
  expect(shownUrl(url)).not.toContain('abcdefghijklmnopqrstuvwx')
})

it.each([
  ` https://hooks.example/${SECRET}`,
  `https://hooks.example/${SECRET} `,
  `https:hooks.example/${SECRET}`,
  `https:/hooks.example/${SECRET}`,
  `https:///hooks.example/${SECRET}`,
  `https:\\\\hooks.example\\${SECRET}`,
  `https://hooks.example\\${SECRET.replaceAll('/', '\\')}`,
  `https://hooks.example/\u00a0${SECRET}`,
  `https://user:word@hooks.example/${SECRET}`,
  'ftp://hooks.example/x',
  'hooks.example/x',
])('%j is refused, though a URL parser may take it', url => {
  expect(isHttpUrl(url)).toBe(false)
})
