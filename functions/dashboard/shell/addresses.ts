// The URLs of the dashboard's pages.

export const ROOT = '/dashboard'
export const SIGN_IN = `${ROOT}/sign-in`

/** URLs of a thing's pages. @example ofProject(id, 'runs') // '/dashboard/projects/…/runs' */
const pagesOf =
  (things: string) =>
  (id: string, page = ''): string =>
    `${ROOT}/${things}/${id}${page && `/${page}`}`

export const ofProject = pagesOf('projects')
export const ofRun = pagesOf('runs')
export const ofItem = pagesOf('items')
export const ofAgent = pagesOf('agents')
export const ofSchedule = pagesOf('schedules')
export const ofTrigger = pagesOf('triggers')
export const ofDelivery = pagesOf('deliveries')
export const ofRecovery = pagesOf('recoveries')

export const isDashboardPath = (pathname: string): boolean =>
  pathname === ROOT || pathname.startsWith(`${ROOT}/`)

const HERE = 'http://here.invalid'

/** The path and query of a link within the dashboard; undefined for any other path or origin. */
export function ownPath(link: string): string | undefined {
  if (!URL.canParse(link, HERE)) return undefined
  const { origin, pathname, search } = new URL(link, HERE)
  return origin === HERE && isDashboardPath(pathname) ? pathname + search : undefined
}
