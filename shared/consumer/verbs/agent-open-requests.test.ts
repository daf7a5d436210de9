import { expect, it } from 'vitest'
import type { Lease } from '../../settling/verbs/in-flight-item.ts'
import { OpenRequests } from './agent-open-requests.ts'

const lease = (claim_id: number): Lease => ({
  claim_id,
  taken_ms: 0,
  open: 1,
  closing: false,
  abort: new AbortController(),
})

it('a lost lease aborts the requests of its claim, and the end of the consumer’s time aborts all that are open', () => {
  const requests = new OpenRequests()
  const [lost, kept] = [lease(1), lease(2)]
  const cuts = [requests.begin(lost), requests.begin(kept), requests.begin(kept)]
  const cutOff = () => cuts.map(cut => cut.signal.aborted)

  requests.cutClaim(lost)
  expect(cutOff()).toEqual([true, false, false])
  requests.end(cuts[2]!)
  requests.cutAll()
  expect(cutOff()).toEqual([true, true, false])
})

it('a new request is aborted at once if its lease is lost or the time is over', () => {
  const requests = new OpenRequests()
  const lost = lease(1)
  lost.abort.abort()
  expect(requests.begin(lost).signal.aborted).toBe(true)
  expect(requests.begin(lease(2)).signal.aborted).toBe(false)
  requests.cutAll()
  expect(requests.isOver).toBe(true)
  expect(requests.begin(lease(2)).signal.aborted).toBe(true)
})
