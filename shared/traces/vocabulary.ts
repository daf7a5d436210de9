// The closed lists of words about traces.

/** Where a search finds words: in what people, models and tools wrote, or also in names, parameters and schemas. */
export const SEARCHED_IN = ['messages', 'everything'] as const
export type SearchedIn = (typeof SEARCHED_IN)[number]
