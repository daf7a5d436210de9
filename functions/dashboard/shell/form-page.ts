// Finds the page that a form was sent from, to lead back to it. Guarantee: what it finds is a page of the dashboard,
// never the address of an action, which has none.

import type { Context } from '../../../shared/context.ts'
import { basePath, withoutBasePath } from '../../../shared/http/base-path.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import { ownPath } from './addresses.ts'
import type { Page } from './page.ts'

/**
 * By the Referer, which our own Referrer-Policy allows browsers to send, and which the form guard has accepted. A page
 * that answers a form takes the address of that form's page by its script; without it the nearest page above is found.
 */
export function formPageAmong(pages: readonly Page[]) {
  const all = new RegExp(`^(${pages.map(one => one.path.replaceAll(/\{\w+\}/g, '[\\w-]+')).join('|')})$`)
  return ({ config }: Pick<Context, 'config'>, request: Request): string | undefined => {
    const referer = request.headers.get('referer')
    if (request.method === 'GET' || referer === null || !URL.canParse(referer)) return undefined
    const { pathname, search } = new URL(referer)
    const path = withoutBasePath(pathname, basePath(config.base_url))
    // No page is as long or as deep. Anybody may send a Referer, and each part would be looked for among all pages.
    const most = LIMITS.page_path
    if (path.length > most.characters || path.split('/').length > most.parts) return undefined
    if (all.test(path)) return ownPath(path + search)
    for (let above = path; above !== ''; above = above.slice(0, above.lastIndexOf('/')))
      if (all.test(above)) return ownPath(above)
    return undefined
  }
}
