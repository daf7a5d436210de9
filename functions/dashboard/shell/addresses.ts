// The URLs of the dashboard's pages.

export const ROOT = '/dashboard'
export const SIGN_IN = `${ROOT}/sign-in`

/** The URL of a project's page. @example ofProject(id, 'runs') // '/dashboard/projects/…/runs' */
export const ofProject = (project_id: string, page = ''): string =>
  `${ROOT}/projects/${project_id}${page && `/${page}`}`
export const ofRun = (run_id: string, page = ''): string => `${ROOT}/runs/${run_id}${page && `/${page}`}`
export const ofItem = (record_id: string, page = ''): string =>
  `${ROOT}/items/${record_id}${page && `/${page}`}`

export const ofAgent = (agent_id: string, page = ''): string =>
  `${ROOT}/agents/${agent_id}${page && `/${page}`}`
export const ofSchedule = (schedule_id: string, page = ''): string =>
  `${ROOT}/schedules/${schedule_id}${page && `/${page}`}`
export const ofTrigger = (trigger_id: string, page = ''): string =>
  `${ROOT}/triggers/${trigger_id}${page && `/${page}`}`
export const ofDelivery = (delivery_id: string, page = ''): string =>
  `${ROOT}/deliveries/${delivery_id}${page && `/${page}`}`

export const ofRecovery = (recovery_id: string, page = ''): string =>
  `${ROOT}/recoveries/${recovery_id}${page && `/${page}`}`

export const isDashboardPath = (pathname: string): boolean =>
  pathname === ROOT || pathname.startsWith(`${ROOT}/`)

const HERE = 'http://here.invalid'

/** The path and query of a link within the dashboard; undefined for any other path or origin. */
export function ownPath(link: string): string | undefined {
  if (!URL.canParse(link, HERE)) return undefined
  const { origin, pathname, search } = new URL(link, HERE)
  return origin === HERE && isDashboardPath(pathname) ? pathname + search : undefined
}
