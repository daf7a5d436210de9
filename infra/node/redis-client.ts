// The Redis client library in a module of its own. It is a third of a function's third-party code, so bundles load it
// from a shared file, and units without stores do not load it at all.

export { Cluster, Redis } from 'ioredis'
