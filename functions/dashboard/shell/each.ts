// Runs one action for each of several ids, a few at once. Guarantee: an id that the API refuses does not stop the
// others; a server error or an ended session stops all.

import { ApiFailure } from '../../../shared/sdk/client.ts'

const AT_ONCE = 4 // calls; each takes a connection

export async function each(ids: readonly string[], act: (id: string) => Promise<void>) {
  const done: string[] = []
  const refused: ApiFailure[] = []
  const left = [...ids]
  const work = async () => {
    for (let id = left.shift(); id !== undefined; id = left.shift()) {
      try {
        await act(id)
        done.push(id)
      } catch (error) {
        if (!(error instanceof ApiFailure) || error.status >= 500 || error.status === 401) throw error
        refused.push(error)
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return { done, refused }
}
