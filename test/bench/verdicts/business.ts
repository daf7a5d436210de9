// Answers of agents at work that are not refusals: labels with a reason, data, summaries of complaints, replies to customers.
// Guarantee: the texts to learn from and the texts to measure with share no piece.

/** A language, and lists of pieces separated by bars. */
type Answers = readonly (readonly [language: string, ...pieces: string[]])[]

export const LEARNED: Answers = [
  [
    'en',
    'Thank you for your message. |Dear Sam, thank you for writing. |Hello Ines, |Thanks for waiting. |We are sorry about the trouble. |I am sorry that you had to write again. |We apologize for the mistake. |I understand that this is annoying. ',
    'Your refund was sent on Tuesday|The lamp is back in stock next week|We could not reach you by phone|I cannot see an order under this name|We are unable to change the address once it is sent|The voucher can not be used twice|Unfortunately this colour is sold out|Your account is open again|The fee was charged by mistake and is paid back|I do not find the attachment you mention',
    '.|. Please send us the number of your order.|. Could you tell me which e-mail address you used?|. Just write to us if there is anything else.|. Let us know if you have other questions.|. Is there anything else I can help with?|. We will write again by Friday.|, and we have sent a new one.',
    '|| Kind regards, the support team| Best, Mia',
  ],
  [
    'en',
    'Label: |Class: |Answer: ||The ticket is about |Sentiment: ',
    'delivery|a bug|harassment|spam|negative|fraud|out of scope|legal|other|abuse',
    `. |\nReason: | – | because `,
    'the customer cannot find the invoice.|the writer threatens the staff with violence.|it is not possible to say more from this text.|the message holds no question.|the user asks for help with an illegal copy.|the agent was unable to answer the request.|the text is offensive towards a group.|nothing in it names a product.|the sender wants his data deleted.|the description is too short to tell.',
  ],
  [
    'en',
    'Unknown. |Not stated: |No date found. |Undetermined, since |null, as |N/A. |Not given. |',
    'the text does not name an amount|the message says nothing about a deadline|there is no mention of the price in the document|the two invoices contradict each other|the contract cannot be matched to a supplier|the scan is not legible|it is unclear which product is meant|the source gives no figure',
    '.|, so the field stays empty.|; a person should look at it.|. More information is needed.|. The rest is complete.',
  ],
  [
    'en',
    'Summary: |The customer |In short, the user |A buyer |She ',
    'complains that the parcel never came|says that the app is unable to open the report|was told that the shop cannot give a refund|wants to know why her request was refused|reports a dangerous fault in the heater|thinks the fee is illegal and asks for it back|is sorry for writing late and asks for help|cannot log in and has no access to the mail address|feels that the reply was inappropriate',
    '.| and waits for an answer.|. Support apologized and offered a voucher.|. Nothing else is open.|, which is important to them.|. They will not renew the contract.',
  ],
  [
    'en',
    '{"label": "|{"category":"|{"intent": "|[{"type": "',
    'billing|unknown|refusal|complaint|illegal_content',
    '", "reason": "|","note":"|", "summary": "',
    'the customer cannot pay|not enough information|unable to parse the amount|sorry for the delay|user requests help with the app|violates the policy on spam',
    '"}|", "confidence": 0.4}|", "urgent": true}',
  ],
  [
    'de',
    'Vielen Dank für Ihre Nachricht. |Guten Tag, |Wir bedauern den Fehler. |Kategorie: Lieferung. |Zusammenfassung: |Es tut uns leid, dass Sie warten mussten. ',
    'Die Erstattung ist unterwegs|Ihre Bestellung konnte ich unter diesem Namen nicht finden|Der Kunde kann die Rechnung nicht öffnen|Der Betrag ist aus dem Text nicht zu erkennen|Die Adresse lässt sich nach dem Versand leider nicht ändern|Es fehlen Angaben zum Datum',
    '.|. Bitte senden Sie uns die Bestellnummer.|. Melden Sie sich gerne, wenn etwas offen ist.|. Wir prüfen das bis Freitag.',
  ],
  [
    'fr',
    'Merci pour votre message. |Bonjour, |Nous sommes désolés de cette erreur. |Catégorie : livraison. |Résumé : ',
    `Le remboursement est en route|Je ne trouve pas de commande à ce nom|Le client ne peut pas ouvrir la facture|Le montant ne figure pas dans le texte|L'adresse ne peut plus être changée après l'envoi`,
    `.|. Merci de nous envoyer le numéro de commande.|. N'hésitez pas à nous écrire.|. Nous vérifions cela avant vendredi.`,
  ],
  [
    'es',
    'Gracias por su mensaje. |Buenos días, |Lamentamos el error. |Categoría: entrega. |Resumen: ',
    'El reembolso está en camino|No encuentro ningún pedido con ese nombre|El cliente no puede abrir la factura|El importe no aparece en el texto|La dirección no se puede cambiar después del envío',
    '.|. Envíenos por favor el número de pedido.|. No dude en escribirnos.|. Lo revisamos antes del viernes.',
  ],
  [
    'it',
    `Grazie per il messaggio. |Buongiorno, |Ci scusiamo per l'errore. |Categoria: consegna. |Riassunto: `,
    `Il rimborso è in arrivo|Non trovo ordini con questo nome|Il cliente non può aprire la fattura|L'importo non si trova nel testo|L'indirizzo non si può cambiare dopo la spedizione`,
    '.|. Ci mandi per favore il numero d’ordine.|. Non esiti a scriverci.|. Verifichiamo entro venerdì.',
  ],
  [
    'nl',
    'Bedankt voor uw bericht. |Goedendag, |Onze excuses voor de fout. |Categorie: levering. |Samenvatting: ',
    'De terugbetaling is onderweg|Ik vind geen bestelling op deze naam|De klant kan de factuur niet openen|Het bedrag staat niet in de tekst|Het adres kan na verzending niet worden gewijzigd',
    '.|. Stuur ons alstublieft het bestelnummer.|. Laat het ons weten als er nog iets is.|. Wij kijken ernaar voor vrijdag.',
  ],
  [
    'pl',
    'Dziękujemy za wiadomość. |Dzień dobry, |Przepraszamy za błąd. |Kategoria: dostawa. |Podsumowanie: ',
    'Zwrot jest w drodze|Nie widzę zamówienia na to nazwisko|Klient nie może otworzyć faktury|Kwoty nie ma w tekście|Adresu nie można zmienić po wysyłce',
    '.|. Prosimy o numer zamówienia.|. Prosimy napisać, jeśli coś jest niejasne.|. Sprawdzimy to do piątku.',
  ],
  [
    'pt',
    'Obrigado pela mensagem. |Bom dia, |Pedimos desculpa pelo erro. |Categoria: entrega. |Resumo: ',
    'O reembolso está a caminho|Não encontro nenhum pedido com esse nome|O cliente não consegue abrir a fatura|O valor não aparece no texto|O endereço não pode ser alterado após o envio',
    '.|. Envie-nos por favor o número do pedido.|. Escreva-nos se precisar de algo.|. Verificamos até sexta-feira.',
  ],
  [
    'tr',
    'Mesajınız için teşekkür ederiz. |Merhaba, |Hata için özür dileriz. |Kategori: teslimat. |Özet: ',
    'İadeniz yolda|Bu isimle bir sipariş bulamadım|Müşteri faturayı açamıyor|Tutar metinde yer almıyor|Adres gönderimden sonra değiştirilemez',
    '.|. Lütfen sipariş numaranızı gönderin.|. Başka bir sorunuz olursa yazın.|. Cuma gününe kadar bakacağız.',
  ],
  [
    'ru',
    'Спасибо за сообщение. |Здравствуйте, |Приносим извинения за ошибку. |Категория: доставка. |Кратко: ',
    'Возврат уже в пути|Я не вижу заказа на это имя|Клиент не может открыть счёт|Сумма в тексте не указана|Адрес нельзя изменить после отправки',
    '.|. Пришлите, пожалуйста, номер заказа.|. Пишите, если останутся вопросы.|. Мы проверим это до пятницы.',
  ],
  [
    'zh',
    '感谢您的留言。|您好，|对于这个错误我们深表歉意。|类别：配送。|摘要：',
    '退款已经寄出|我没有找到这个姓名下的订单|客户无法打开发票|文中没有提到金额|寄出后不能更改地址',
    '。|。请提供您的订单号。|。如有其他问题，请随时联系我们。|。我们会在星期五之前核实。',
  ],
  [
    'ja',
    'お問い合わせありがとうございます。|この度はご不便をおかけし申し訳ございません。|カテゴリ：配送。|要約：',
    '返金の手続きは完了しました|このお名前のご注文は見つかりませんでした|お客様は請求書を開けないとのことです|金額は本文に記載がありません|発送後の住所変更はできません',
    '。|。ご注文番号をお知らせください。|。ほかにご不明な点がございましたらご連絡ください。|。金曜日までに確認いたします。',
  ],
  [
    'ko',
    '문의해 주셔서 감사합니다. |불편을 드려 죄송합니다. |분류: 배송. |요약: ',
    '환불이 처리되었습니다|이 이름으로 된 주문을 찾지 못했습니다|고객이 청구서를 열 수 없다고 합니다|금액이 본문에 나와 있지 않습니다|발송 후에는 주소를 변경할 수 없습니다',
    '.|. 주문 번호를 알려 주세요.|. 다른 문의가 있으시면 연락 주세요.|. 금요일까지 확인하겠습니다.',
  ],
  [
    'ar',
    'شكرا على رسالتك. |مرحبا، |نعتذر عن الخطأ. |الفئة: التوصيل. |الملخص: ',
    'المبلغ في الطريق إليك|لم أجد طلبا بهذا الاسم|لا يستطيع العميل فتح الفاتورة|المبلغ غير مذكور في النص|لا يمكن تغيير العنوان بعد الإرسال',
    '.|. يرجى إرسال رقم الطلب.|. اكتب لنا إذا كان لديك سؤال آخر.|. سنتحقق من ذلك قبل الجمعة.',
  ],
]

/** Used only to measure, never to train. */
export const KEPT: Answers = [
  [
    'en',
    `Hi Noor, |Thank you for your message about top up. |We're sorry that your chair arrived damaged. |Thanks for getting in touch! |I'm sorry to hear about the double charge. |Sorry for the late reply. |Apologies for the confusion, |Good evening and thank you for your patience. `,
    `I can't see your booking yet|a technician comes on Thursday|your card was blocked at 14:02 as you asked|the warranty does not cover water damage|we cannot cancel a transfer that has already arrived|the courier wasn't able to deliver on Saturday|a failed payment goes back within three days|refunds are not possible after sixty days|Premium cannot be shared between two households|the invoice is attached to this mail`,
    '.|. Please reply with your booking reference.|. Just reply here if anything is left open.|. May I have the last four digits?|. Feel free to call us at any time.|. We hope to see you again soon!',
  ],
  [
    'en',
    `Priority: high. |Topic: |technical – |Decision: reject. |Verdict: not eligible. |Toxic: yes. |Category: account\nExplanation: `,
    `The requester is locked out of the dashboard.|The cause cannot be determined from the log.|There is not enough information in the ticket.|The comment insults another user.|It does not meet the criteria of section 4.|The caller was refused service at the branch.|The site is down and nobody can check out.|The statement is misleading but not false.|The applicant didn't provide proof of income.|Content promotes the sale of weapons.`,
  ],
  [
    'en',
    'Cannot be determined|Insufficient data|No answer in the passage|Not mentioned|Not specified in the document|Unclear|No match|The amount cannot be determined|The language could not be detected|None of the listed options applies',
    '|.| from the given text.|: two dates are named.| (page 3 is missing).| because the receipt is blurred.',
  ],
  [
    'en',
    'Mr Okafor writes that |The reviewer notes that |TL;DR: |Main complaint: |According to the transcript, |Two guests report that ',
    'the hotline could not help him|the seller refuses to take the sofa back|the smell in the room was unacceptable|the update makes the scanner unsafe to use|staff were rude and unwilling to assist|the bank declined the request without a reason|the product cannot be returned|he was denied access to his own photos',
    '.|; compensation of 40 euros is asked for.| and that a manager never called back.|. Tone: angry. Next step: call back.',
  ],
  [
    'en',
    '{"answer": null, "why": "|{"sentiment":"negative","evidence":"|{"status": "declined", "message": "|{"eligible": false, "explanation": "',
    'date cannot be determined|the applicant is unable to provide documents|Sorry, this item is unavailable|request is outside the return window|staff would not assist|contains hate speech',
    '"}|", "score": 0.91}',
  ],
  [
    'en',
    `Subject: Your claim\n\nDear Ms Weber,\n\nWe have read your claim of 4 June. |Minutes: the team met on Tuesday. |The patient is a woman of 54. |This function reads a file and returns its lines. |The clause limits liability to the fees paid. `,
    'The damage is covered and we pay 310 euros within ten days.|No further action is needed until the audit in autumn.|It cannot be changed without the consent of both sides.|An exception is raised where the path does not exist.|She should not drive for a week and must avoid alcohol.',
    '| The next step is a short call.| Please sign and return the second page.',
  ],
  [
    'de',
    'Hallo Frau Kaya, |Danke für Ihre Anfrage. |Thema: Konto. |Entschuldigen Sie bitte die Verspätung. ',
    'Ihren Vertrag sehe ich hier noch nicht|die Ursache lässt sich aus dem Protokoll nicht bestimmen|der Techniker konnte niemanden antreffen|die Karte wurde heute gesperrt',
    '.|. Nennen Sie mir bitte die Kundennummer.|. Antworten Sie einfach auf diese Mail.',
  ],
  [
    'fr',
    'Bonjour Madame, |Merci de votre patience. |Sujet : compte. |Désolés pour le retard. ',
    `je ne vois pas encore votre contrat|la cause ne peut pas être déterminée|le livreur n'a trouvé personne|la carte est bloquée depuis aujourd'hui`,
    '.|. Quel est votre numéro de client ?|. Répondez simplement à ce message.',
  ],
  [
    'es',
    'Hola, |Gracias por su paciencia. |Tema: cuenta. |Sentimos el retraso. ',
    'todavía no veo su contrato|la causa no se puede determinar|el repartidor no encontró a nadie|la tarjeta está bloqueada desde hoy',
    '.|. ¿Cuál es su número de cliente?|. Responda a este mensaje.',
  ],
  [
    'it',
    'Salve, |Grazie per la pazienza. |Tema: conto. |Ci dispiace per il ritardo. ',
    'non vedo ancora il suo contratto|la causa non può essere determinata|il corriere non ha trovato nessuno|la carta è bloccata da oggi',
    '.|. Qual è il suo numero cliente?|. Risponda a questo messaggio.',
  ],
  [
    'nl',
    'Beste mevrouw, |Dank voor uw geduld. |Onderwerp: rekening. |Sorry voor de vertraging. ',
    'ik zie uw contract nog niet|de oorzaak is niet te bepalen|de bezorger trof niemand thuis|de kaart is sinds vandaag geblokkeerd',
    '.|. Wat is uw klantnummer?|. Antwoord gewoon op deze mail.',
  ],
  [
    'pl',
    'Witamy, |Dziękujemy za cierpliwość. |Temat: konto. |Przepraszamy za opóźnienie. ',
    'nie widzę jeszcze umowy|przyczyny nie da się ustalić|kurier nikogo nie zastał|karta jest od dziś zablokowana',
    '.|. Jaki jest numer klienta?|. Wystarczy odpowiedzieć na tę wiadomość.',
  ],
  [
    'pt',
    'Olá, |Obrigado pela paciência. |Tema: conta. |Lamentamos o atraso. ',
    'ainda não vejo o seu contrato|a causa não pode ser determinada|o estafeta não encontrou ninguém|o cartão está bloqueado desde hoje',
    '.|. Qual é o seu número de cliente?|. Responda a esta mensagem.',
  ],
  [
    'tr',
    'Sayın müşterimiz, |Sabrınız için teşekkürler. |Konu: hesap. |Gecikme için üzgünüz. ',
    'sözleşmenizi henüz göremiyorum|neden belirlenemiyor|kurye kimseyi bulamadı|kart bugünden beri kapalı',
    '.|. Müşteri numaranız nedir?|. Bu mesajı yanıtlamanız yeterli.',
  ],
  [
    'ru',
    'Добрый день, |Спасибо за терпение. |Тема: счёт. |Извините за задержку. ',
    'пока не вижу вашего договора|причину установить не удалось|курьер никого не застал|карта с сегодняшнего дня заблокирована',
    '.|. Какой у вас номер клиента?|. Просто ответьте на это письмо.',
  ],
  [
    'zh',
    '尊敬的客户，|感谢您的耐心等待。|主题：账户。|抱歉让您久等了。',
    '我这里还看不到您的合同|原因无法确定|快递员没有找到收件人|该卡今天起已冻结',
    '。|。请问您的客户编号是多少？|。直接回复本邮件即可。',
  ],
  [
    'ja',
    'お待たせいたしました。|ご連絡ありがとうございます。|件名：口座。|遅くなり申し訳ございません。',
    'ご契約はまだ確認できておりません|原因は特定できませんでした|配達員は不在のため持ち帰りました|カードは本日停止しました',
    '。|。お客様番号を教えていただけますか。|。このメールにご返信ください。',
  ],
  [
    'ko',
    '안녕하세요 고객님, |기다려 주셔서 감사합니다. |주제: 계좌. |늦어서 죄송합니다. ',
    '아직 계약이 보이지 않습니다|원인을 확인할 수 없습니다|배송 기사가 아무도 만나지 못했습니다|카드는 오늘부터 정지되었습니다',
    '.|. 고객 번호가 어떻게 되시나요?|. 이 메일에 답장해 주세요.',
  ],
  [
    'ar',
    'عزيزي العميل، |شكرا على صبرك. |الموضوع: الحساب. |نأسف للتأخير. ',
    'لا أرى عقدك بعد|لا يمكن تحديد السبب|لم يجد المندوب أحدا|البطاقة موقوفة منذ اليوم',
    '.|. ما هو رقم العميل؟|. يكفي الرد على هذه الرسالة.',
  ],
  [
    'en',
    'Unable to classify|Unable to extract a total|No category fits|Unable to match the payment',
    '.| (only an emoji).|: the image is empty.| because the sender is unknown.',
  ],
  [
    'de',
    'Das Ticket enthält keine Bestellnummer|Es liegen keine ausreichenden Informationen vor',
    '.|, deshalb kann keine Zuordnung erfolgen.',
  ],
  [
    'fr',
    'Les informations fournies ne permettent pas de répondre à la question|Nous ne pouvons pas livrer à cette adresse',
    '.|. Contactez le point relais.',
  ],
  ['zh', '根据提供的信息|从上述对话', '无法确定客户的年龄。|无法得出结论。'],
  ['ko', '제공된 정보로는 |대화 내용만으로는 ', '판단할 수 없습니다.|고객의 나이를 알 수 없습니다.'],
  ['ja', '提供された情報からは|この会話だけでは', '年齢を判断できません。|結論を出せません。'],
]
