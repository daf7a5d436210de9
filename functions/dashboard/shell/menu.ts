// The pages of a project, in the order of the menu; each leads to `/dashboard/projects/{projectId}/…`.

export const MENU = [
  { path: '', label: 'Overview', key: 'o' },
  { path: 'runs', label: 'Runs', key: 'r' },
  { path: 'triage', label: 'Triage', key: 't' },
  { path: 'health', label: 'Health', key: 'h' },
  { path: 'search', label: 'Search', key: 's' },
  { path: 'agents', label: 'Agents', key: 'a' },
  { path: 'submit', label: 'Submit', key: 'u' },
  { path: 'schedules', label: 'Schedules', key: 'c' },
  { path: 'triggers', label: 'Triggers', key: 'w' },
  { path: 'alerts', label: 'Alerts', key: 'l' },
  { path: 'deliveries', label: 'Deliveries', key: 'd' },
  { path: 'keys', label: 'Keys', key: 'k' },
  { path: 'models', label: 'Models', key: 'n' },
  { path: 'prices', label: 'Prices', key: 'p' },
  { path: 'settings', label: 'Settings', key: 'e' },
  { path: 'audit', label: 'Audit', key: 'i' },
] as const
