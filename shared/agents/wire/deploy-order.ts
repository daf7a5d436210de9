// The request shapes for deploying and promoting an agent.

import * as z from '../../kernel/documented-zod.ts'
import { httpUrl, isStorable, label } from '../../kernel/fields.ts'
import { LIMITS } from '../../kernel/limits.ts'
import type { AgentDeclaration } from '../../protocol/rules/protocol.ts'
import { AGENT_PROTOCOLS } from '../vocabulary.ts'
import { Declaration } from './declaration.ts'

const encoder = new TextEncoder()
const fits = (bytes: number) => (text: string) => text.length <= bytes && encoder.encode(text).length <= bytes

const Environment = z
  .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be a variable name'), z.string())
  .refine(
    env => fits(LIMITS.agent_env_bytes)(JSON.stringify(env)),
    `must be at most ${LIMITS.agent_env_bytes} bytes`,
  )
  .refine(env => Object.values(env).every(value => !value.includes('\0')), 'must hold no NUL')
  .describe('Variables the agent sees; stored encrypted and never shown.')

const dryRun = z.boolean().optional().describe('Report what would be done, and do nothing.')

const ofEveryKind = {
  declaration: Declaration.refine(
    declaration => fits(LIMITS.configuration_bytes)(JSON.stringify(declaration)),
    `must be at most ${LIMITS.configuration_bytes} bytes`,
  ).transform(declaration => declaration as AgentDeclaration),
  env: Environment.optional(),
  external_id: label(LIMITS.name_characters, 'A label of your own, for example a commit.').optional(),
  dry_run: dryRun,
}

export const DeployOrder = z
  .discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('bundle'),
      code: z
        .string()
        .min(1)
        .refine(fits(LIMITS.agent_bundle_bytes), `must be at most ${LIMITS.agent_bundle_bytes} bytes`)
        .refine(
          text => !text.includes('\0') && text.isWellFormed(),
          'must hold no NUL and no lone surrogates',
        )
        .describe('One ES module whose default export is what serve() of the SDK gives.'),
      ...ofEveryKind,
    }),
    z.strictObject({
      kind: z.literal('url'),
      url: httpUrl('Where the agent answers.'),
      protocol: z.enum(AGENT_PROTOCOLS).default('ndjson'),
      code_version: z
        .string()
        .min(1)
        .max(LIMITS.code_version_characters)
        .refine(isStorable, 'must hold no \\u0000 and no lone surrogates')
        .optional()
        .describe(
          'The version of the code that runs there now, as it answers a GET; its answers may name others.',
        ),
      ...ofEveryKind,
    }),
  ])
  .openapi('DeployOrder', { description: 'Code that Assay runs, or an HTTP function that runs elsewhere.' })

export const PromoteOrder = z.strictObject({ dry_run: dryRun }).openapi('PromoteOrder')
