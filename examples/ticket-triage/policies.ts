// The company's answers in simple cases; stands in for a knowledge base.

export const CATEGORIES = [
  'card_delivery',
  'card_problem',
  'card_request',
  'card_payment',
  'cash_withdrawal',
  'transfer',
  'top_up',
  'exchange',
  'fees',
  'access',
  'identity',
  'refund',
  'fraud',
  'account',
  'order',
  'technical',
  'other',
] as const
export type Category = (typeof CATEGORIES)[number]

const POLICIES: Partial<Record<Category, string>> = {
  card_delivery: 'Cards arrive within seven working days; after ten a new one is sent free of charge.',
  transfer: 'Transfers within the country arrive the same day, others within two working days.',
  top_up: 'A top-up is booked within an hour; a failed one goes back to its card within three days.',
  exchange: 'Currencies are exchanged at the rate shown in the app at the moment of the purchase.',
  fees: 'Every fee is shown before it is charged; one that was not shown is paid back.',
  access: 'A PIN is changed or unblocked in the app under Security.',
  refund: 'A refund shows up to five working days after the merchant has sent it.',
  order: 'Goods can be sent back within thirty days; faulty ones are replaced at once.',
}

/** The policy for a category, or null if a person has to answer. */
export async function lookUpPolicy({
  category,
}: {
  category: Category
  tenant: string | undefined
}): Promise<string | null> {
  return POLICIES[category] ?? null
}
