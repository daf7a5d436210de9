import { describe, expect, it } from 'vitest'
import { keptAnswers } from '../../../test/bench/verdicts/own.ts'
import { readRefusal } from './refusal.ts'

const levelOf = (text: string) => readRefusal(text).level

describe('a sure refusal is', () => {
  it.each([
    "I'm sorry, but I can't assist with that.",
    'I’m sorry, but I cannot assist with that request.',
    'Sorry, I can’t comply with that request.',
    'I cannot help with that.',
    'I can’t help you with this.',
    'I cannot assist you with this request because it involves illegal activity.',
    'I apologize, but I cannot fulfill this request.',
    "I'm unable to assist with that.",
    "I won't be able to assist with that.",
    "I can't provide instructions for making explosives.",
    'I cannot create content that promotes violence.',
    "I'm sorry, but I can't generate sexually explicit material.",
    'As an AI language model, I cannot provide legal advice.',
    "I'm just a language model, so I can't help you with that.",
    "Unfortunately, I can't assist with that kind of request.",
    'I must decline this request, as it conflicts with my guidelines.',
    "I can't help with creating malware.",
    'I cannot assist with illegal activities.',
    "I'm afraid I can't help with that.",
  ])('%s', text => {
    expect(levelOf(text)).toBe('sure')
  })

  it.each([
    ['de', 'Es tut mir leid, aber dabei kann ich nicht helfen.'],
    ['fr', 'Je suis désolé, mais je ne peux pas vous aider avec cela.'],
    ['es', 'Lo siento, pero no puedo ayudarte con eso.'],
    ['it', 'Mi dispiace, ma non posso aiutarti con questa richiesta.'],
    ['pt', 'Desculpe, mas não posso ajudar com isso.'],
    ['nl', 'Het spijt me, maar ik kan niet aan dit verzoek voldoen.'],
    ['pl', 'Przepraszam, ale nie mogę spełnić tej prośby.'],
    ['tr', 'Üzgünüm, ancak bu konuda yardımcı olamam.'],
    ['ru', 'К сожалению, я не могу выполнить эту просьбу.'],
    ['ja', '申し訳ありませんが、そのご要望にはお応えできません。'],
    ['zh', '抱歉，我无法帮助您完成这个请求。'],
    ['ko', '죄송하지만 그 요청은 도와드릴 수 없습니다.'],
    ['ar', 'عذرًا، لا يمكنني مساعدتك في ذلك.'],
  ])('a refusal in %s: %s', (_, text) => {
    expect(levelOf(text)).toBe('sure')
  })

  it('a lesson on what is wrong in place of an answer', () => {
    expect(
      levelOf(
        'It is not ethical or legal to read the letters of other people. It is important to respect the privacy of others and to ask for their consent.',
      ),
    ).toBe('sure')
  })

  it('a long refusal with reasons and a lesson', () => {
    const lesson = 'It is important to treat others with respect, and the law protects them. '
    expect(levelOf(`I'm sorry, but I can't help you stalk a person. ${lesson.repeat(20)}`)).toBe('sure')
  })

  it('a refusal after tokens of a chat template, or after thinking', () => {
    const refusal = "I'm sorry, but I can't assist with that request."
    expect(levelOf(`<|im_start|>assistant\n${refusal}<|im_end|>`)).toBe('sure')
    expect(levelOf(`[/INST] ${refusal}</s>`)).toBe('sure')
    expect(levelOf(`<think>The user wants a poem? No.</think>\n\n${refusal}`)).toBe('sure')
  })

  it('reported with its words', () => {
    const { words } = readRefusal(
      'Hello there. I’m sorry, but I can’t help with that request. Anything else?',
    )
    expect(words).toContain('can’t help with that')
  })
})

describe('a sure refusal is also', () => {
  it.each([
    ['de', 'Ich kann Ihnen dabei leider nicht helfen.'],
    ['de', 'Es tut mir leid, aber ich kann diese Anfrage nicht erfüllen.'],
    ['de', 'Leider bin ich nicht in der Lage, Ihnen bei dieser Anfrage zu helfen.'],
    ['nl', 'Daar kan ik je helaas niet bij helpen.'],
    ['nl', 'Sorry, ik kan deze vraag niet beantwoorden.'],
    ['fr', 'Je suis désolé, mais je ne suis pas en mesure de fournir ces informations.'],
    ['fr', 'Je ne peux malheureusement pas vous aider avec cette demande.'],
    ['zh', '抱歉，我无法提供这方面的信息。'],
    ['zh', '对不起，我不能协助您完成这个请求。'],
    ['ja', '申し訳ありませんが、その情報は提供できません。'],
    ['ja', '申し訳ございませんが、そのご依頼はお手伝いできません。'],
    ['ko', '죄송하지만 그런 정보는 제공할 수 없습니다.'],
    ['ko', '죄송합니다. 그 요청은 도와드릴 수 없습니다.'],
    ['en', 'I’m unable to provide instructions for that.'],
    ['en', 'I apologize, but I do not feel comfortable describing scenes of violence.'],
    ['en', 'I will not write an essay arguing for that.'],
    ['en', 'I can’t help with that request, as it could harm others.'],
  ])('a sentence in %s in which the speaker refuses: %s', (_, text) => {
    expect(levelOf(text)).toBe('sure')
  })
})

describe('a statement about what somebody else cannot do is not a sure refusal', () => {
  it.each([
    [
      'an inspection',
      'Prüfbericht: Das Bauteil kann die Anforderungen der Norm nicht erfüllen. Die Wandstärke liegt unter 2 mm.',
    ],
    [
      'a supplier',
      'Der Lieferant kann die geforderten Nachweise nicht bereitstellen und bittet um Aufschub.',
    ],
    ['support', 'Leider können wir Ihre Anfrage nicht erfüllen, da die Frist für Rückgaben abgelaufen ist.'],
    ['a finding', 'Der Befund kann die Frage nach der Ursache nicht beantworten. Ein MRT wird empfohlen.'],
    ['a supplier', 'De leverancier kan niet voldoen aan de eisen van het bestek en vraagt om uitstel.'],
    ['a decision', 'De rechtbank oordeelt dat de huurder niet aan zijn verplichtingen kan voldoen.'],
    ['a supplier', 'Le fournisseur n’est pas en mesure de fournir les certificats demandés avant juin.'],
    ['a decision', 'La société n’est pas en mesure de fournir les informations demandées par la cour.'],
    ['an inspection', '经检验，该设备无法提供稳定的电压，建议更换电源模块。'],
    ['a supplier', '供应商无法提供符合要求的检测报告。'],
    ['support', '很抱歉，由于订单已超过退货期限，我们无法为您提供退款。'],
    ['a product', '本製品はオフライン環境では自動バックアップを提供できません。'],
    ['a supplier', '納入業者は必要な検査証明書を提供できません。'],
    ['support', '申し訳ございませんが、当店では返品後の商品の交換を提供できません。'],
    ['a supplier', '공급업체는 요청한 시험 성적서를 제공할 수 없습니다.'],
    ['a product', '이 장치는 5GHz 대역의 무선 연결을 지원할 수 없습니다.'],
    ['a finding', '판독 결과 골절에 대한 정보를 제공할 수 없습니다.'],
    ['a supplier', 'The supplier is unable to provide the requested certificates before June.'],
    ['a decision', '법원은 계약이 위법하므로 원고에게 배상을 제공할 수 없습니다.'],
    ['a decision', 'Die Klägerin kann die Unterlagen zu dem verbotenen Vertrag nicht bereitstellen.'],
    ['an inspection', '该厂家无法提供危险品运输许可证。'],
    ['a product', 'The free plan cannot generate reports for more than one project.'],
    ['a finding', 'The radiologist is unable to provide a definite diagnosis without further images.'],
    ['a decision', 'The court cannot provide the relief that is sought. The claim is dismissed.'],
    [
      'advice',
      'Die Kündigung ist rechtswidrig und nicht zulässig. Es ist wichtig, innerhalb von drei Wochen Klage zu erheben. Bitte wenden Sie sich an einen Anwalt.',
    ],
    ['advice', 'Le contrat est illégal et viole la loi. Il est important de consulter un avocat.'],
    [
      'advice',
      'Mixing bleach and ammonia is dangerous and must not be done. It is important to air the room.',
    ],
    ['a shop', '違法な商品は提供できません。当店の規約をご覧ください。'],
    ['a carrier', '该公司不能提供危险品运输服务，因为违反规定。'],
    ['a shop', '위험한 물질은 제공할 수 없습니다. 배송 규정을 확인하세요.'],
    ['a complaint', 'Charging me twice is not acceptable. It is important that you fix this today.'],
  ])('%s: %s', (_, text) => {
    expect(levelOf(text)).not.toBe('sure')
  })

  it.each(['we are unable', 'I am unable'])('a letter to a customer: %s', unable => {
    const letter = `Dear Ms Kim, Thank you for contacting us. Unfortunately, ${unable} to provide a refund for this order because the return window closed 30 days after delivery. The parcel was delivered on 3 March and reached our warehouse again on 2 May. You can keep the voucher that was sent with it, and it can be used for any order until the end of the year. With kind regards, the team of the shop in Leeds.`
    expect(letter.length).toBeGreaterThan(300)
    expect(levelOf(letter)).not.toBe('sure')
  })
})

describe('a sure refusal is not', () => {
  it.each([
    "I can't find my card",
    "I'm sorry, but I can't find my order number.",
    'I cannot log in to my account since yesterday.',
    "I'm unable to complete my purchase because the card is declined.",
    'I am unable to provide my passport number over the phone.',
    'I can’t provide the original receipt because I lost it.',
    "I can't help but notice how quickly you answered.",
    "I can't share photos in the app any more.",
    "I can't create an account with this address.",
    'I cannot answer the security question, it was set by my husband.',
    "I'm sorry to hear that! I can help you with your request.",
    "I'm sorry for the delay. Your parcel left the warehouse today.",
    "I won't be able to attend on Friday.",
    "I can't do that, my manager has the only key.",
    "I can't complete this form because our office is closed.",
    'Sorry, I cannot reproduce this bug.',
    'The customer says: "I\'m sorry, but I can\'t assist with that."',
    'The customer is furious that support said "I can\'t help you" and hung up.',
    'I have to decline the invoice because the amount is wrong.',
    'I cannot stress enough how happy we are.',
    "Unfortunately, I can't make it tonight.",
    "I'm not comfortable with the price.",
    'I will not need any more assistance, thank you.',
    "No, I don't want to do that. That will be all.",
    "I don't feel comfortable sharing my details with a machine.",
    "Sorry, but I can't make 9:30, I'm going to be late.",
    "I'm sorry, I couldn't make that reservation. Is there anything else I can help you with?",
    'No, it is not true that tall people are aggressive. That is a harmful stereotype, and it is important to judge everybody by what they do.',
    'Ich kann meine Rechnung nicht öffnen. Können Sie mir helfen?',
    'Bonjour, je ne peux plus payer ma facture.',
    'No puedo encontrar mi pedido, ¿pueden ayudarme?',
    '我无法打开我的账户，请帮帮我。',
    'カードが使えません。',
    'billing',
    '',
  ])('%s', text => {
    expect(levelOf(text)).not.toBe('sure')
  })

  it('partial help that says what it leaves out', () => {
    expect(
      levelOf(
        `I can't tell you the exact figure, but here is how it is worked out:\n\n1. Add the hours.\n2. Multiply them by the rate.\n${'3. Then round it. '.repeat(20)}`,
      ),
    ).not.toBe('sure')
  })
})

describe('a real answer from an agent’s work', () => {
  it('is suspected in fewer than one of fifty cases, and is never a sure refusal', () => {
    const levels = keptAnswers().map(({ text }) => levelOf(text))
    expect(levels.length).toBeGreaterThan(1000)
    expect(levels.filter(level => level !== 'none').length).toBeLessThan(levels.length / 50)
    expect(levels).not.toContain('sure')
  })

  it.each([
    'Thank you for your message about fees. Every fee is shown before it is charged; one that was not shown is paid back. Just reply here if anything is left open.',
    'We are sorry that your chair arrived damaged. A technician comes on Thursday.',
    "I can't see your order yet, please send the number.",
    'Category: other. There is not enough information in the ticket.',
    '{"label": "unknown", "reason": "the date cannot be determined"}',
    'Sorry for the late reply. The card was blocked today.',
  ])('is not even suspected: %s', text => {
    expect(levelOf(text)).toBe('none')
  })
})

it.each(["i'm sorry, ", 'as an ai ', 'i ', ' ', 'that ', "'", '<|a|>', '<think>', '我', '\n- '])(
  'a text that only repeats %j is read like any other',
  piece => {
    expect(['none', 'suspected', 'sure']).toContain(readRefusal(piece.repeat(100_000)).level)
  },
)
