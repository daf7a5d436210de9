// The table of what is read of a bill, by client and provider, from recorded answers.

import type { Consumption } from '../../../shared/prices/rules/pricing.ts'
import { readCompletion } from '../../../shared/providers/rules/completion.ts'
import { BILLS, type SampleBill } from './sample-bills.ts'

const PARTS: Record<string, (usage: Consumption, sample: SampleBill) => unknown> = {
  'cache reads': usage => usage.cached_input_tokens,
  'cache writes': usage => usage.cache_write_tokens,
  '… for an hour': usage => usage.cache_write_1h_tokens,
  thinking: (usage, { reasoning }) => reasoning ?? usage.billed_reasoning_tokens,
  sound: usage => usage.input_audio_tokens ?? usage.output_audio_tokens,
  images: usage => usage.output_image_tokens ?? usage.input_image_tokens,
  searches: usage => usage.searches ?? usage.search_context,
  tiers: usage => usage.service_tier ?? usage.speed ?? usage.inference_geo,
  'own bill': usage => usage.billed_micro,
}

export function billsTable(): string {
  const names = Object.keys(PARTS)
  const groups = Map.groupBy(
    BILLS.filter(({ client }) => client !== 'any'),
    ({ client, provider }) => `${client} | ${provider}`,
  )
  const rows = [...groups].map(([group, samples]) => {
    const read = samples.map(sample => [readCompletion(sample.answer)?.usage, sample] as const)
    const cells = names.map(name =>
      read.some(([usage, sample]) => usage !== undefined && PARTS[name]!(usage, sample)) ? '●' : '',
    )
    return `| ${group} | ${cells.join(' | ')} |`
  })
  return [
    `| client | provider | ${names.join(' | ')} |`,
    `|---|---|${names.map(() => '---|').join('')}`,
    ...rows,
  ].join('\n')
}
