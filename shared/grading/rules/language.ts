// Detects whether a text is certainly in another language than it should be, by its script and by the words that every
// text in a language has. Guarantee: pure; it reads a bounded part of the text and finds nothing in a text that is
// short, mixed or in a language that it does not know.

import type { Language } from '../vocabulary.ts'
import { proseOf } from './prose.ts'

/** Read at the beginning and at the end: a text may begin with a quotation. */
const READ_CHARACTERS = 300
const LEAST_LETTERS = 60
/** For scripts that write a word in a letter or two. */
const LEAST_SYLLABLES = 20
const SCRIPT_SHARE = 0.7
/** Function words are a third or more of a text, a tenth in Turkish and Polish. Single letters are often no words. */
const LEAST_WORDS = 5
const LEAST_SHARE = 0.1
const MARGIN = 1.3
/** At most this many words of the due language alone, as a share of words of the found language alone. */
const FOREIGN_SHARE = 0.2

const FUNCTION_WORDS: Readonly<Partial<Record<Language, string>>> = {
  en: 'the of and to in is that for it with as was on are be this by an or from at which have not you your we they can will has been these their if would should how no so do me my he she but all',
  de: 'der die das und ist nicht ein eine einen einem einer mit auf für von zu in den dem des sich auch es ich sie wir wird werden sind bei als oder aber nach wie im zum zur kann haben durch dass wenn ihre sein über können an so was er am man um',
  fr: 'le la les des et est une un du en dans pour que qui sur pas avec vous nous je il elle ce cette au aux ou sont par plus votre être de ne se peut ces leur comme mais on son sa ses si qu',
  es: 'el la los las de que y en un una es por con para no se del al como más su lo pero este esta está son sus puede también sobre entre si cuando muy ha ser me te mi sin tu le les hay',
  it: 'il lo la gli le di che è un una per con non si del della dei delle nel nella sono alla al come più anche questo questa da può tra essere ma su loro in ha se mi ti ed',
  nl: 'de het een en van is niet dat op te voor met zijn aan er ook als maar bij of wordt naar door uit kan deze die om worden je in hebben kunnen dit zoals ik was we ze over',
  pl: 'w na z się nie że do jest to jak co ale po dla od przez są może być lub oraz które który która jego ich czy tym tego te za przy jako można aby ze we',
  pt: 'os as de que do da em um uma para com não no na por se mais dos das como é ao você são ou ser seu sua pode também mas isso este esta muito à me te lhe nos há foi',
  tr: 've bir bu için ile de da çok olarak olan daha gibi en ama ne kadar sonra her var değil veya şu ancak olduğu bunun ise size sizin nasıl olabilir mi ben',
}

const LATIN = Object.keys(FUNCTION_WORDS) as Language[]
/** The languages that have a word, one bit each. */
const LANGUAGES_OF = new Map<string, number>()
for (const [at, language] of LATIN.entries())
  for (const word of FUNCTION_WORDS[language]!.split(' '))
    LANGUAGES_OF.set(word, (LANGUAGES_OF.get(word) ?? 0) | (1 << at))

type Scripts = ReturnType<typeof scriptsOf>

/** Whether a text has enough letters of a language's own script to be partly in it, whatever else it has. */
const HAS: Readonly<Partial<Record<Language, (scripts: Scripts) => boolean>>> = {
  ko: ({ hangul }) => hangul >= LEAST_SYLLABLES,
  ja: ({ kana }) => kana >= LEAST_SYLLABLES,
  zh: ({ han, kana }) => han >= LEAST_SYLLABLES && kana <= 0.2 * han,
  ru: ({ cyrillic }) => cyrillic >= LEAST_LETTERS,
  ar: ({ arabic }) => arabic >= LEAST_LETTERS,
}

/** The language that a text is in instead of `due`; undefined when that is not certain. */
export function otherLanguage(text: string, due: Language): Language | undefined {
  const read =
    text.length <= 2 * READ_CHARACTERS
      ? text
      : `${text.slice(0, READ_CHARACTERS)} ${text.slice(-READ_CHARACTERS)}`
  const prose = proseOf(read)
  const scripts = scriptsOf(prose)
  if (HAS[due]?.(scripts)) return undefined
  const found = ofScript(prose, scripts) ?? ofLatin(prose, scripts, due)
  return found === due ? undefined : found
}

/** The language of a text in a script other than Latin. */
function ofScript(prose: string, scripts: Scripts): Language | undefined {
  const { han, kana, hangul, cyrillic, arabic } = scripts
  const isMost = (letters: number, least: number) => letters >= least && letters >= SCRIPT_SHARE * scripts.all
  if (isMost(hangul, LEAST_SYLLABLES)) return 'ko'
  // Japanese has one kana and more for each Chinese character; a text in between may be either.
  if (isMost(han + kana, LEAST_SYLLABLES))
    return kana >= 0.2 * han ? 'ja' : kana <= 0.02 * han ? 'zh' : undefined
  // Ukrainian, Serbian and others have letters that Russian lacks; Persian and Urdu have letters that Arabic lacks.
  if (isMost(cyrillic, LEAST_LETTERS)) return /[іїєґјљњћђџўқғү]/i.test(prose) ? undefined : 'ru'
  if (isMost(arabic, LEAST_LETTERS)) return /[پچژگکیٹڈڑےں]/.test(prose) ? undefined : 'ar'
  return undefined
}

function scriptsOf(text: string) {
  const scripts = { latin: 0, cyrillic: 0, arabic: 0, han: 0, kana: 0, hangul: 0, all: 0 }
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code < 0x250) {
      const small = code | 32
      if ((small >= 97 && small <= 122) || code >= 0xc0) scripts.latin++
    } else if (code >= 0x400 && code < 0x530) scripts.cyrillic++
    else if (code >= 0x620 && code < 0x700) scripts.arabic++
    else if (code >= 0x3041 && code < 0x3100) scripts.kana++
    else if (code >= 0x4e00 && code < 0xa000) scripts.han++
    else if (code >= 0xac00 && code < 0xd7a4) scripts.hangul++
  }
  const { latin, cyrillic, arabic, han, kana, hangul } = scripts
  scripts.all = latin + cyrillic + arabic + han + kana + hangul
  return scripts
}

function ofLatin(prose: string, { latin, all }: Scripts, due: Language): Language | undefined {
  if (latin < LEAST_LETTERS || latin < SCRIPT_SHARE * all) return undefined
  const words = prose.toLowerCase().match(/[a-z\u00df-\u024f]+/g) ?? []
  const known = words.map(word => LANGUAGES_OF.get(word) ?? 0)
  const hits = LATIN.map((_, at) => known.reduce((n, languages) => n + ((languages >> at) & 1), 0))
  const most = Math.max(...hits)
  const first = hits.indexOf(most)
  const next = Math.max(...hits.filter((_, at) => at !== first))
  if (most < Math.max(LEAST_WORDS, LEAST_SHARE * words.length, MARGIN * next)) return undefined
  const [is, should] = [1 << first, 1 << LATIN.indexOf(due)]
  if (!LATIN.includes(due) || is === should) return LATIN[first]
  let [own, foreign] = [0, 0]
  for (const languages of known) {
    if ((languages & is) !== 0 && (languages & should) === 0) own++
    if ((languages & should) !== 0 && (languages & is) === 0) foreign++
  }
  return own >= LEAST_WORDS && foreign <= FOREIGN_SHARE * own ? LATIN[first] : undefined
}
