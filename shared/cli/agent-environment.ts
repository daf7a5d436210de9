// Which variables an agent's own files read, as far as their text says, so that a missing key is told at the deploy and
// not by every item. Guarantee: a variable that the file has another value for is not asked for.

/** What a provider's client reads where its caller names no key. */
const KEYS: Readonly<Record<string, string>> = {
  openai: 'OPENAI_API_KEY',
  '@anthropic-ai/sdk': 'ANTHROPIC_API_KEY',
  '@google/genai': 'GEMINI_API_KEY',
}

/** With a default behind it the agent does without. */
const READ = /\bprocess\.env(?:\.([A-Za-z_]\w*)|\[['"]([A-Za-z_]\w*)['"]\])(?!\w)(?!\s*(?:\?\?|\|\|))/g
const IMPORT = /^import\s+(?!type\b)[^'"]*['"]([^'"]+)['"]/gm

/**
 * Names of variables without which one of these files would find `undefined`, sorted.
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
