// The library that speaks to Redis, by itself: a third of what a function has of others' code, so that bundles load it
// from a file that all of them share, and those without stores not at all.

export { Cluster, Redis } from 'ioredis'
