// The version of this package. Guarantee: the one of package.json, held by a test: imported, the whole manifest would be
// in every function's bundle.

export const VERSION = '0.1.0'
