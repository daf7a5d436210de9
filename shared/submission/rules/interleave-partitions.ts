// Puts items in dispatch order: partitions take turns, so that one with a thousand items does not make the next wait
// for all of them. The order within a partition is kept.

/** Items of one window in dispatch order; the same array if there is only one partition. */
export function interleavePartitions<T extends { partition_key: string | null }>(
  items: readonly T[],
): readonly T[] {
  const first = items[0]?.partition_key
  if (items.every(item => item.partition_key === first)) return items
  const hands = new Map<string | null, T[]>()
  for (const item of items) {
    const hand = hands.get(item.partition_key)
    if (hand) hand.push(item)
    else hands.set(item.partition_key, [item])
  }
  const dealt: T[] = []
  const queues = [...hands.values()]
  for (let round = 0; dealt.length < items.length; round++) {
    for (const queue of queues) if (round < queue.length) dealt.push(queue[round]!)
  }
  return dealt
}
