import { expect, it } from 'vitest'
import { basePath, prefixHint, withBasePath, withoutBasePath } from './base-path.ts'

it('the base path is the path of BASE_URL, or empty if that is at the root or not set', () => {
  const paths = ['https://x/assay', 'https://x/a/b/', 'https://x', 'https://x/', ''].map(basePath)
  expect(paths).toEqual(['/assay', '/a/b', '', '', ''])
})

it('addresses in a page get the base path, and nothing else changes', () => {
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

it('the base path is removed from addresses that a browser sends', () => {
  const within = ['/assay/dashboard?x=1', '/assay', '/assayer/x', '/x'].map(one =>
    withoutBasePath(one, '/assay'),
  )
  expect(within).toEqual(['/dashboard?x=1', '', '/assayer/x', '/x'])
})

it('a request that still has the base path gets a hint that the proxy must remove it', () => {
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
  'a request to %s, whose prefix BASE_URL does not have, gets a hint about the proxy and BASE_URL',
  (path, before) => {
    for (const configured of ['', '/another'])
      expect(prefixHint(path, configured)).toMatch(
        new RegExp(`by ${before} must take it off .*, and BASE_URL must end with it`),
      )
  },
)

it.each(['/v1/agents/docs', '/v1/nothing', '/nothing', '//v1/projects', '/dashboard/health', '/docs'])(
  'a request to %s gets no hint about a prefix',
  path => expect(prefixHint(path, '')).toBeUndefined(),
)
