// The pages of a project, in the order of the menu; each links to `/dashboard/projects/{projectId}/…`. Pages that show
// costs also say which prices apply.

export const MENU: readonly { path: string; label: string; key: string; costs?: true }[] = [
  { path: '', label: 'Overview', key: 'o', costs: true },
  { path: 'runs', label: 'Runs', key: 'r', costs: true },
  { path: 'triage', label: 'Triage', key: 't', costs: true },
  { path: 'health', label: 'Health', key: 'h' },
  { path: 'search', label: 'Search', key: 's', costs: true },
  { path: 'agents', label: 'Agents', key: 'a', costs: true },
  { path: 'submit', label: 'Submit', key: 'u' },
  { path: 'schedules', label: 'Schedules', key: 'c', costs: true },
  { path: 'triggers', label: 'Triggers', key: 'w' },
  { path: 'alerts', label: 'Alerts', key: 'l' },
  { path: 'deliveries', label: 'Deliveries', key: 'd' },
  { path: 'keys', label: 'Keys', key: 'k' },
  { path: 'models', label: 'Models', key: 'n', costs: true },
  { path: 'prices', label: 'Prices', key: 'p' },
  { path: 'settings', label: 'Settings', key: 'e' },
  { path: 'audit', label: 'Audit', key: 'i' },
]
