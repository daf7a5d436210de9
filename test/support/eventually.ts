// Waits for a condition. Guarantee: a slow machine fails no test; a condition that never comes true fails it, with the
// last error.

import { vi } from 'vitest'

/** Much longer than anything takes, and less than a test may take: it bounds a failure. */
const PATIENCE_MS = 90_000

export const eventually = <T>(check: () => T | Promise<T>): Promise<T> => vi.waitFor(check, PATIENCE_MS)
