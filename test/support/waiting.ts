// Waits for conditions of what a server has received: they are looked at after each request.

export interface Waiting {
  /** Resolves once the condition holds. */
  until(condition: () => boolean): Promise<void>
  look(): void
}

export function startWaiting(): Waiting {
  const looks = new Set<() => void>()
  return {
    until: condition =>
      new Promise(resolve => {
        const look = () => {
          if (!condition()) return
          looks.delete(look)
          resolve()
        }
        looks.add(look)
        look()
      }),
    look() {
      for (const look of looks) look()
    },
  }
}
