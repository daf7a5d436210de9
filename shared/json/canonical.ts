// One text for equal JSON values, whatever the order of their keys. PostgreSQL's jsonb keeps no order, so values that
// went through it are compared by this.

export function canonicalJson(value: unknown): string {
  const text = JSON.stringify(value, (_, member) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  )
  return text ?? ''
}
