// An entry point to bind as OUTSIDE where no network service can be bound. Guarantee: none of its own; it reaches what
// the worker's own fetch reaches, so bind it only on a platform whose fetch reaches nothing private.

import { WorkerEntrypoint } from 'cloudflare:workers'

export class Outside extends WorkerEntrypoint {
  override fetch(request: Request): Promise<Response> {
    return fetch(request)
  }
}
