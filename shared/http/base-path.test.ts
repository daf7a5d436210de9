import { expect, it } from 'vitest'
import { basePath, prefixHint, withBasePath, withoutBasePath } from './base-path.ts'

it('the path is that of BASE_URL, and none where it lies at the root or was told nothing', () => {
  const paths = ['https://x/assay', 'https://x/a/b/', 'https://x', 'https://x/', ''].map(basePath)
  expect(paths).toEqual(['/assay', '/a/b', '', '', ''])
})

it('an address of a page has the path, and nothing else changes', () => {
  const page = `<a href="/docs">a="/docs"</a><a href="//elsewhere.test"><a href="?cursor=1"><a href="https://x/y"><a href="#main">
<script type="module" src="/s.js"></script><form method="post" action="/f"><button formaction="/g"><tr data-href="/r"><body data-events="/e">
<input type="hidden" name="next" value="/dashboard"> href=&quot;/docs&quot;`
  expect(withBasePath(page, '/assay')).toBe(
    `<a href="/assay/docs">a="/docs"</a><a href="//elsewhere.test"><a href="?cursor=1"><a href="https://x/y"><a href="#main">
<script type="module" src="/assay/s.js"></script><form method="post" action="/assay/f"><button formaction="/assay/g"><tr data-href="/assay/r"><body data-events="/assay/e">
<input type="hidden" name="next" value="/dashboard"> href=&quot;/docs&quot;`,
  )
  expect(withBasePath(page, '')).toBe(page)
})

it('an address of a browser is one of the process without it', () => {
  const within = ['/assay/dashboard?x=1', '/assay', '/assayer/x', '/x'].map(one =>
    withoutBasePath(one, '/assay'),
  )
  expect(within).toEqual(['/dashboard?x=1', '', '/assayer/x', '/x'])
})

it('a proxy that passes the path on is told so', () => {
  expect(prefixHint('/assay/v1/projects', '/assay')).toContain('must take off')
  expect(prefixHint('/v1/projects', '/assay')).toBeUndefined()
  expect(prefixHint('/v1/projects', '')).toBeUndefined()
})

it.each([
  ['/assay/v1/projects', '/assay'],
  ['/tools/assay/health/ready', '/tools/assay'],
  ['/assay/dashboard', '/assay'],
  ['/assay/openapi.json', '/assay'],
])(
  'nobody named the path that %s still has: it is told, and that BASE_URL has to end with it',
  (path, before) => {
    for (const told of ['', '/another'])
      expect(prefixHint(path, told)).toMatch(
        new RegExp(`by ${before} must take it off .*, and BASE_URL must end with it`),
      )
  },
)

it.each(['/v1/agents/docs', '/v1/nothing', '/nothing', '//v1/projects', '/dashboard/health', '/docs'])(
  'of %s nothing is to be taken off',
  path => expect(prefixHint(path, '')).toBeUndefined(),
)
