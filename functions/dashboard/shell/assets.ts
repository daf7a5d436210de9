// Serves the styles, scripts and icon of the dashboard. Guarantee: their URLs contain a hash of their content, so that
// browsers may cache them for good.

import { textAnswer } from '../../../shared/http/compression.ts'
import { ASSETS } from './assets.gen.ts'

const TYPES = { css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8', svg: 'image/svg+xml' }
const KEPT_S = 31_536_000

const byName = new Map<string, (typeof ASSETS)[keyof typeof ASSETS]>(
  Object.values(ASSETS).map(asset => [asset.name, asset]),
)

export const STYLE_PATH = `/dashboard/assets/${ASSETS.style.name}`
export const ICON_PATH = `/dashboard/assets/${ASSETS.icon.name}`
export const SCRIPT_PATH = `/dashboard/assets/${ASSETS.script.name}`
/** The script of the submit page. */
export const SUBMIT_SCRIPT_PATH = `/dashboard/assets/${ASSETS.submit.name}`

export function assetAnswer(name: string): Response {
  const asset = byName.get(name)
  if (asset === undefined) return new Response('There is no such file.', { status: 404 })
  return textAnswer(asset.text, {
    headers: {
      'content-type': TYPES[asset.kind],
      'cache-control': `public, max-age=${KEPT_S}, immutable`,
      'x-content-type-options': 'nosniff',
    },
  })
}
