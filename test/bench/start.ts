// Measures the start of a function until its first answer, which includes its first query.

import { readFile } from 'node:fs/promises'
import http from 'node:http'
import type { Unit } from '../../infra/packaging.ts'

export interface Start {
  ms: number
  /** Processor time, which varies less on a busy machine. */
  cpu_ms: number
}

export interface FirstRequest {
  method: string
  path: string
  bearer: string
}

const NO_ID = '01900000-0000-7000-8000-000000000000'

/** A read that queries the database for the caller and for a row; whether the row exists does not matter. */
export function firstRequest(unit: Unit | undefined, key: string, platform: string): FirstRequest {
  if (unit?.platform) return { method: 'POST', path: '/', bearer: platform }
  const reads = unit?.endpoints.filter(one => one.method === 'get') ?? []
  const read =
    reads.find(one => one.path === '/health/ready') ?? reads.find(one => !one.path.includes('{')) ?? reads[0]
  const path = read?.path.replaceAll(/\{\w+\}/g, NO_ID) ?? (unit?.docs ? '/openapi.json' : '/healthz')
  return { method: 'GET', path, bearer: key }
}

/** The status, once the answer is complete; undefined while nothing listens. */
export function ask(origin: string, { method, path, bearer }: FirstRequest): Promise<number | undefined> {
  return new Promise(resolve => {
    const headers = { authorization: `Bearer ${bearer}` }
    http
      .request(origin + path, { method, headers, agent: false }, response => {
        response.resume().once('end', () => resolve(response.statusCode))
      })
      .once('error', () => resolve(undefined))
      .end()
  })
}

/** User and system time, which /proc counts in hundredths of a second; NaN without /proc. */
export async function cpuOf(pid: number): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')).split(' ')
  return (Number(fields[13]) + Number(fields[14])) * 10
}
