// Answers of our own for the checks that know the prompt: answers that repeat it, and answers in another language.

import { LANGUAGES, type Language } from '../../../shared/grading/vocabulary.ts'
import type { CheckCase } from './check-cases.ts'

const TASKS = [
  'Classify the ticket below as billing, delivery or other and answer with the label alone.',
  'Summarize the following message of a customer in one sentence for the team that answers it.',
  'Translate what follows into German. Keep names and numbers as they are, and add nothing.',
  'Write a friendly reply to this e-mail that says when the parcel comes and where it is now.',
  'Extract the date, the amount and the number of the order, each on a line of its own, please:',
]
const MATERIAL = [
  'I ordered two lamps on the third of May and only one has come so far. The invoice says that both were sent, and nobody answers the phone since Monday. My order is 48213; please tell me what you are going to do about it, or give me back the 59.90 that I paid.',
  'Good morning, my card was charged twice for the same booking, once on Friday and once on Sunday. The hotel says that they have seen one payment only. Could somebody look into that before the end of the week? I am travelling from Thursday on and cannot take calls.',
  'The screen of the tablet stays black after the update of last night. I have pressed the button for ten seconds, as the page says, and have charged it for six hours. It is the model with the keyboard, bought in March, and the warranty should still be valid, shouldn’t it?',
  'Since we moved to the new plan the export takes forty minutes where it took four. Nothing else has changed on our side; the number of rows is the same as ever. We need the file at six every morning, so this is rather urgent for us. Could you check what the server is doing?',
]
const ANSWERS = [
  'billing',
  'delivery, I would say: one of two lamps has not arrived.',
  'The customer was charged twice for one booking and wants to know why before Thursday.',
  'Der Bildschirm des Geräts bleibt seit der Aktualisierung schwarz, obwohl es geladen ist.',
  'Hello, and thank you for your message. The second lamp left our store yesterday and will be with you on Friday.',
  '2026-05-03\n59.90\n48213',
  'As you write, "nobody answers the phone since Monday"; we are sorry for that and call you back today.',
  '{"label": "other", "reason": "the export takes forty minutes"}',
]
const FORMS: readonly ((task: string, material: string) => { input: unknown; prompt: string })[] = [
  (task, material) => ({ input: `${task}\n\n${material}`, prompt: `${task}\n\n${material}` }),
  (task, material) => ({
    input: {
      messages: [
        { role: 'system', content: task },
        { role: 'user', content: material },
      ],
    },
    prompt: material,
  }),
  (task, material) => ({
    input: { contents: [{ role: 'user', parts: [{ text: `${task}\n${material}` }] }] },
    prompt: `${task}\n${material}`,
  }),
]
const ASKED = TASKS.flatMap(task =>
  MATERIAL.flatMap(material => FORMS.map(form => ({ material, task, ...form(task, material) }))),
)

export const ECHOES: Record<'found' | 'passed', CheckCase[]> = {
  found: ASKED.flatMap(({ input, prompt, material }) =>
    [
      prompt,
      prompt.toUpperCase(),
      `  ${prompt.replaceAll(' ', '  ')}\n`,
      `${prompt}\n\nAnswer: billing`,
      material,
    ].map(text => ({ text, asked: { input } })),
  ),
  passed: ASKED.flatMap(({ input, material }) =>
    [
      ...ANSWERS,
      material.slice(0, 90),
      `The customer writes: "${material.slice(0, 60)}". That is about delivery.`,
    ].map(text => ({ text, asked: { input } })),
  ),
}

/** Openings, middles and ends of answers, each a sentence as people write it. */
const SENTENCES: Record<Language, readonly (readonly string[])[]> = {
  en: [
    ['Thank you for your message.', 'Here is the summary of the ticket.'],
    [
      'The parcel was sent on Monday and should be with you by the end of the week.',
      'We have looked at your account and the payment has been returned to your card.',
    ],
    ['Please let us know if there is anything else that we can do for you.', 'This is all that is known.'],
  ],
  de: [
    ['Vielen Dank für Ihre Nachricht.', 'Hier ist die Zusammenfassung des Tickets.'],
    [
      'Das Paket wurde am Montag verschickt und sollte bis zum Ende der Woche bei Ihnen sein.',
      'Wir haben uns das Konto angesehen, und die Zahlung ist auf die Karte zurückgebucht worden.',
    ],
    ['Bitte melden Sie sich, wenn wir noch etwas für Sie tun können.', 'Mehr ist nicht bekannt.'],
  ],
  fr: [
    ['Merci pour votre message.', 'Voici le résumé de la demande.'],
    [
      'Le colis a été envoyé lundi et devrait arriver chez vous avant la fin de la semaine.',
      'Nous avons vérifié votre compte et le paiement est retourné sur votre carte.',
    ],
    [
      'N’hésitez pas à nous dire si nous pouvons faire autre chose pour vous.',
      'C’est tout ce que l’on sait.',
    ],
  ],
  es: [
    ['Gracias por su mensaje.', 'Este es el resumen de la solicitud.'],
    [
      'El paquete se envió el lunes y debería llegar a su casa antes del fin de la semana.',
      'Hemos revisado la cuenta y el pago ya está de vuelta en su tarjeta.',
    ],
    ['Díganos por favor si hay algo más que podamos hacer por usted.', 'Eso es todo lo que se sabe.'],
  ],
  it: [
    ['Grazie per il suo messaggio.', 'Questo è il riassunto della richiesta.'],
    [
      'Il pacco è stato spedito lunedì e dovrebbe essere da lei entro la fine della settimana.',
      'Abbiamo controllato il conto e il pagamento è tornato sulla sua carta.',
    ],
    ['Ci dica per favore se possiamo fare altro per lei.', 'Non si sa di più su questo.'],
  ],
  nl: [
    ['Dank u voor uw bericht.', 'Hier is de samenvatting van het verzoek.'],
    [
      'Het pakket is op maandag verstuurd en zou voor het einde van de week bij u moeten zijn.',
      'We hebben naar de rekening gekeken en het geld is weer op uw kaart gezet.',
    ],
    ['Laat het ons weten als er nog iets is dat we voor u kunnen doen.', 'Meer is er niet bekend.'],
  ],
  pl: [
    ['Dziękujemy za wiadomość.', 'Oto podsumowanie tego zgłoszenia.'],
    [
      'Paczka została wysłana w poniedziałek i powinna do Państwa dotrzeć do końca tygodnia, jak to było w planie.',
      'Sprawdziliśmy to konto i płatność jest już z powrotem na karcie, ale nie na tej, która była podana.',
    ],
    [
      'Proszę dać nam znać, czy możemy coś jeszcze zrobić dla Państwa.',
      'To jest wszystko, co o tym wiadomo.',
    ],
  ],
  pt: [
    ['Obrigado pela sua mensagem.', 'Este é o resumo do pedido.'],
    [
      'A encomenda foi enviada na segunda-feira e deve chegar até ao fim da semana.',
      'Verificámos a conta e o pagamento já está de volta no seu cartão.',
    ],
    ['Diga-nos por favor se há mais alguma coisa que possamos fazer por você.', 'Isso é tudo o que se sabe.'],
  ],
  tr: [
    ['Mesajınız için teşekkür ederiz.', 'Bu talebin özeti şu şekilde.'],
    [
      'Paket pazartesi günü gönderildi ve hafta sonuna kadar sizin adresinize ulaşmış olacak.',
      'Hesap için bir kontrol yaptık ve ödeme çok kısa bir süre sonra kartınıza geri döndü.',
    ],
    [
      'Sizin için başka ne yapabiliriz, lütfen bize yazın.',
      'Bu konuda daha çok bilgi var olan bir yer değil.',
    ],
  ],
  ru: [
    ['Спасибо за ваше сообщение.', 'Вот краткое содержание запроса.'],
    [
      'Посылка была отправлена в понедельник и должна прийти к вам до конца недели.',
      'Мы проверили счёт, и платёж уже вернулся на вашу карту.',
    ],
    ['Напишите нам, если мы можем сделать для вас что-то ещё.', 'Больше об этом ничего не известно.'],
  ],
  zh: [
    ['感谢您的留言。', '以下是这张工单的摘要。'],
    ['包裹已于星期一寄出，应该会在本周结束之前送到您那里。', '我们查看了您的账户，款项已经退回到您的卡上。'],
    ['如果还有什么我们可以为您做的，请告诉我们。', '目前知道的就是这些。'],
  ],
  ja: [
    ['お問い合わせいただきありがとうございます。', 'こちらがご依頼の要約です。'],
    [
      '荷物は月曜日に発送されており、今週中にはお手元に届く予定です。',
      '口座を確認したところ、お支払いはカードに返金されています。',
    ],
    ['ほかにもお手伝いできることがあればお知らせください。', '分かっているのはここまでです。'],
  ],
  ko: [
    ['메시지를 보내 주셔서 감사합니다.', '다음은 요청 사항의 요약입니다.'],
    [
      '소포는 월요일에 발송되었으며 이번 주말까지 도착할 예정입니다.',
      '계좌를 확인한 결과 결제 금액이 카드로 환불되었습니다.',
    ],
    ['더 도와드릴 일이 있으면 알려 주세요.', '지금까지 알려진 것은 이것뿐입니다.'],
  ],
  ar: [
    ['شكرا لك على رسالتك.', 'هذا هو ملخص الطلب.'],
    [
      'تم إرسال الطرد يوم الاثنين ومن المفترض أن يصل إليك قبل نهاية الأسبوع.',
      'لقد راجعنا الحساب وتمت إعادة المبلغ إلى بطاقتك بالفعل.',
    ],
    ['يرجى إخبارنا إذا كان هناك أي شيء آخر يمكننا القيام به.', 'هذا كل ما هو معروف حتى الآن.'],
  ],
}

const textsIn = (language: Language) =>
  SENTENCES[language].reduce<string[]>(
    (texts, list) => texts.flatMap(text => list.map(sentence => `${text} ${sentence}`.trim())),
    [''],
  )

const asked = (text: string, language: Language): CheckCase => ({ text, asked: { language } })

export const LANGUAGE_TEXTS: Record<'found' | 'passed', CheckCase[]> = {
  found: LANGUAGES.flatMap((language, at) =>
    textsIn(language).flatMap(text =>
      // Each is compared with four others, some in its own script and some in others.
      [1, 2, 5, 9].map(away => asked(text, LANGUAGES[(at + away) % LANGUAGES.length]!)),
    ),
  ),
  passed: LANGUAGES.flatMap(language => [
    ...textsIn(language).flatMap(text => [
      asked(text, language),
      asked(`${text}\n\n"${textsIn(language === 'en' ? 'de' : 'en')[0]}"`, language),
      asked(`\`\`\`python\nfor item in the_list_of_items:\n    print(item)\n\`\`\`\n${text}`, language),
    ]),
    ...['OK', 'billing', '42', 'https://example.test/a/page/with/a/long/address', 'Acme Corp., 48213'].map(
      text => asked(text, language),
    ),
    asked(
      '{"label": "billing", "reason": "the card was charged twice and the customer wants it back"}',
      language,
    ),
  ]),
}
