// Waits for a condition. Guarantee: a machine that is slow fails no test; what never comes true fails it, and says how far
// it had come.

import { vi } from 'vitest'

/** Much longer than anything takes, and less than a test may take: it bounds a failure. */
const PATIENCE_MS = 90_000

export const eventually = <T>(check: () => T | Promise<T>): Promise<T> => vi.waitFor(check, PATIENCE_MS)
