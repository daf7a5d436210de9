// An entry to bind as OUTSIDE where no network service can be bound. Guarantee: none of its own; it goes where the
// worker's own fetch goes, so only a platform whose fetch reaches nothing private may bind it.

import { WorkerEntrypoint } from 'cloudflare:workers'

export class Outside extends WorkerEntrypoint {
  override fetch(request: Request): Promise<Response> {
    return fetch(request)
  }
}
