// Quotas as callers see them and as the operator sets them. Guarantee: all quotas of the table can be set, and no
// others.

import * as z from '../../kernel/documented-zod.ts'
import { QUOTA_NAMES, QUOTAS, type QuotaName } from '../rules/quotas.ts'

export const Quota = z
  .object({
    name: z.enum(QUOTA_NAMES),
    limit: z.int().nullable().describe('At most so many; null is no bound.'),
    used: z
      .int()
      .nullable()
      .describe('So many there are; null of a rate, and of what is counted only where it has a bound.'),
    unit: z.string().describe('What is counted.'),
    set_by: z
      .enum(['default', 'operator'])
      .describe('Whether the operator of the installation has set it for this account.'),
    description: z.string(),
  })
  .openapi('Quota', { description: 'What an account may have in all, and how full that is.' })

interface Row {
  name: QuotaName
  limit: number | null
  used: number | null
  is_set: boolean
}

export const quotaOf = ({ name, limit, used, is_set }: Row): z.input<typeof Quota> => ({
  name,
  limit,
  used,
  unit: QUOTAS[name].unit,
  set_by: is_set ? 'operator' : 'default',
  description: QUOTAS[name].about,
})

type Changes = { [K in QuotaName]: z.ZodOptional<z.ZodNullable<z.ZodInt>> }

const changes = Object.fromEntries(
  QUOTA_NAMES.map(name => {
    const { about, min, max, default: usual } = QUOTAS[name]
    const without = usual === null ? 'no bound' : `${usual}, the default`
    return [name, z.int().min(min).max(max).nullable().optional().describe(`${about} Null is ${without}.`)]
  }),
) as Changes

export const QuotaChanges = z
  .strictObject(changes)
  .refine(given => Object.keys(given).length > 0, 'must change something')
  .openapi('QuotaChanges', { description: 'Quotas to be set; what is not named stays.' })
