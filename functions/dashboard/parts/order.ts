// The order of a list, kept in the page's link: `sort.causes=-items` sorts the list `causes` by its items, the most
// first. Guarantee: a link that names no list or column of the page changes nothing.

import { createContext } from 'hono/jsx'

/** The link of the page; undefined where a form is answered, whose address is no page's. */
export const PageLink = createContext<URL | undefined>(undefined)

const PREFIX = 'sort.'

/** Whether a parameter of a page's link is the order of a list: pages do not read it. */
export const isOrder = (name: string): boolean => name.startsWith(PREFIX)

/** The name of a column in links. @example keyOf('Worked, 7 days') // 'worked-7-days' */
export const keyOf = (label: string): string => label.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '-')

export interface Order {
  key: string
  down: boolean
}

export function orderIn(link: URL, list: string): Order | undefined {
  const value = link.searchParams.get(PREFIX + list)
  if (value === null) return undefined
  return value.startsWith('-') ? { key: value.slice(1), down: true } : { key: value, down: false }
}

/** The link with the list sorted by a column: the most first, and turned round where it is already. */
export function sortedBy(link: URL, list: string, key: string): string {
  const now = orderIn(link, list)
  const search = new URLSearchParams(link.search)
  search.set(PREFIX + list, now?.key === key && now.down ? key : `-${key}`)
  return `${link.pathname}?${search}#${list}`
}
