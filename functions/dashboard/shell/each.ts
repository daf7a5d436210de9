// One act for each of several ids, a few at once. Guarantee: one that the API refuses keeps none of the others; a server
// that fails, or a session that is over, ends all.

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
