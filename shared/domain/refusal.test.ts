import { describe, expect, it } from 'vitest'
import { isRefusal } from './refusal.ts'

describe('a refusal is', () => {
  it.each([
    "I'm sorry, but I can't assist with that.",
    "I'm sorry, but I can’t help with that request.",
    "I'm sorry, I can't help with that.",
    'I’m sorry, but I cannot assist with that request.',
    'Sorry, I can’t comply with that request.',
    'I cannot help with that.',
    'I can’t help you with this.',
    'I cannot assist you with this request because it involves illegal activity.',
    'I apologize, but I cannot fulfill this request.',
    "I'm unable to assist with that.",
    'I am not able to help with that request.',
    "I won't be able to assist with that.",
    "I can't provide instructions for making explosives.",
    'I cannot provide medical advice. Please see a doctor.',
    'I cannot create content that promotes violence.',
    "I'm sorry, but I can't generate sexually explicit material.",
    'As an AI language model, I cannot provide legal advice.',
    "I'm just a language model, so I can't help you with that.",
    "I can't engage in harmful content about others.",
    "Unfortunately, I can't assist with that kind of request.",
    'I must decline this request, as it conflicts with my guidelines.',
    "I'm not comfortable writing that story.",
    "I can't help with creating malware.",
    'I cannot assist with illegal activities.',
    "I'm sorry, but I will not write that.",
    "  Sorry, I can't do that. It goes against my programming.",
    "I'm not programmed to assist with that.",
    "I'm afraid I can't help with that.",
    'I cannot answer that question.',
  ])('%s', text => {
    expect(isRefusal(text)).toBe(true)
  })
})

describe('no refusal is', () => {
  it.each([
    "I can't find my card",
    "I'm sorry, but I can't find my order number.",
    'I cannot log in to my account since yesterday.',
    "I can't help with that invoice until it is signed.",
    "I'm unable to complete my purchase because the card is declined.",
    'I am unable to provide my passport number over the phone.',
    'I can’t provide the original receipt because I lost it.',
    "I'm sorry, but I can't process a refund for this order without the receipt.",
    "I can't help but notice how quickly you answered.",
    'I cannot assist to the meeting on Monday.',
    "I can't share photos in the app any more.",
    "I can't create an account with this address.",
    'I cannot answer the security question, it was set by my husband.',
    "I'm sorry to hear that! I can help you with your request.",
    "I'm sorry for the delay. Your parcel left the warehouse today.",
    "I won't be able to attend on Friday.",
    'I can’t believe how good this is.',
    "I can't do that, my manager has the only key.",
    "I can't complete this form because our office is closed.",
    'Sorry, I cannot reproduce this bug.',
    'The customer says: "I\'m sorry, but I can\'t assist with that."',
    '{"answer":"I cannot help with that."}',
    "I can't help with that directly. Here is the form to send instead.",
    'As an AI language model, I find this poem moving.',
    'I have to decline the invoice because the amount is wrong.',
    'I cannot stress enough how happy we are.',
    "Unfortunately, I can't make it tonight.",
    "I can't do that.",
    'I will not write that.',
    "I can't provide content for the newsletter this week.",
    "I can't give instructions to the driver.",
    'I have to decline.',
    "I'm not comfortable with the price.",
    'billing',
    '',
  ])('%s', text => {
    expect(isRefusal(text)).toBe(false)
  })

  it('an opening like one in a long answer', () => {
    expect(isRefusal(`I can't help with that. ${'What the statute says is this. '.repeat(30)}`)).toBe(false)
  })

  it('slow to tell apart, whatever the text', () => {
    const started = performance.now()
    for (const piece of ["i'm sorry, ", 'as an ai ', 'i ', ' ', 'that ', 'because '])
      isRefusal(piece.repeat(500 / piece.length))
    expect(performance.now() - started).toBeLessThan(100)
  })
})
