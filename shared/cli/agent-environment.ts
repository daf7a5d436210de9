// Finds the variables that an agent's own files read, as far as their text shows, so that the deploy reports a missing
// key, not every item. Guarantee: a variable for which the file has another value is not reported.

/** The variable that a provider's client reads if its caller passes no key. */
const KEYS: Readonly<Record<string, string>> = {
  openai: 'OPENAI_API_KEY',
  '@anthropic-ai/sdk': 'ANTHROPIC_API_KEY',
  '@google/genai': 'GEMINI_API_KEY',
}

/** Does not match a variable followed by a default, which the agent does not need. */
const READ = /\bprocess\.env(?:\.([A-Za-z_]\w*)|\[['"]([A-Za-z_]\w*)['"]\])(?!\w)(?!\s*(?:\?\?|\|\|))/g
const IMPORT = /^import\s+(?!type\b)[^'"]*['"]([^'"]+)['"]/gm

/**
 * Sorted names of the variables that these files read without a default.
 *
 * @example variablesRead(["const key = process.env.CRM_KEY", "const url = process.env.CRM_URL ?? 'https://…'"]) // ['CRM_KEY']
 */
export function variablesRead(sources: readonly string[]): string[] {
  const names = new Set<string>()
  for (const source of sources) {
    for (const [, plain, quoted] of source.matchAll(READ)) names.add((plain ?? quoted)!)
    if (/\bapiKey\b/.test(source)) continue
    for (const [, specifier] of source.matchAll(IMPORT)) {
      const key = KEYS[specifier!]
      if (key !== undefined) names.add(key)
    }
  }
  return [...names].sort()
}
