/** The kinds of text that people read. Some rules apply to some kinds only. */
export type Kind = 'document' | 'comment' | 'message' | 'test title' | 'identifier'

/** One paragraph, list item, table cell, comment, message or title, with the line of each of its words. */
export interface Passage {
  readonly kind: Kind
  readonly words: readonly Word[]
}

export interface Word {
  readonly text: string
  readonly line: number
}

export interface Finding {
  readonly line: number
  readonly rule: string
  readonly text: string
}

const maxWords = 30
const minTitleWords = 4

/** A sentence may not begin with these, because its subject is then a clause. Questions are allowed. */
const clauseSubject =
  /^(what|whatever|who|whoever|whichever|whom|whose|of those (who|that|which)|of (two|several|all) (who|that|which)|nothing that|nobody who|no one who|none (who|that)|that which|he who|those who|so that nobody|so that nothing|so that none)\b/i

/** Words and phrases that plain technical English does not use, each with its replacement. */
const phrases: readonly (readonly [RegExp, string])[] = [
  [/\bwho(so)?ever\b/i, 'name the actor'],
  [/\bthat which\b/i, 'use a noun'],
  [/\bof those who\b/i, 'use a noun'],
  [/\b(that|which|who) (is|are) none\b/i, 'say what it is'],
  [/\banew\b/i, 'again'],
  [/\buntold\b/i, 'unknown or undeclared'],
  [/\b(is|are|was|were|be|been|being) (told|said)\b(?! apart)/i, 'name the actor: reports, notifies, states'],
  [/\bany more(?=[.,;:)]|$| (and|or|but|when|once|until|after|by|for|in|on|because|since|to|at)\b)/i, 'no longer'],
  [/\bfor ever\b/i, 'forever'],
  [/\b(not|never) (none|nothing|nobody|no one|never)\b/i, 'say it without the double negative'],
  [/\bhears? (that|of|about)\b/i, 'receives or gets'],
  [/\bwithout end\b/i, 'unlimited'],
  [/\bstands? (in|at|on|under|beside)\b/i, 'is in'],
  [/\be\.\s?g\.|\bi\.\s?e\./i, 'for example, or that is'],
  [/\b(where|there|here)(of|in|upon|with)\b/i, 'plain words'],
  [/\bhitherto\b|\bwhence\b|\bthence\b|\bwhilst\b|\bamongst\b/i, 'plain words'],
  [/\bstored answers?\b/i, 'stored response'],
  [/\banswer(s|ed)?( is| are| with)?( an?)? [1-5]\d\d\b/i, 'returns, or responds with'],
  [/\brefus(e|es|ed|al)\b[^.;,]{0,20}\b4\d\d\b/i, 'rejected'],
]

/** British stems that end in -is(e), with their American form in -iz(e). */
const izeStems =
  'anonym apolog author canonical capital categor central character critical custom decentral equal emphas final ' +
  'general initial item local material maxim memor minim modern monet neutral normal optim organ parallel penal ' +
  'polar popular priorit pseudonym random real recogn reorgan sanit serial special stabil standard summar ' +
  'synchron token util virtual visual'
const ize = new RegExp(
  `\\b(re|un|de)?(${izeStems.replaceAll(' ', '|')})is(e|es|ed|er|ers|ing|able|ation|ations)\\b`,
  'i',
)

/** Other British spellings, as regular expressions of whole words. `programme` is a term of the glossary. */
const british: readonly (readonly [RegExp, string])[] = [
  [ize, '-ize'],
  [/\b(behaviour|colour|favour|flavour|honour|labour|neighbour|rumour|harbour|endeavour)\w*/i, '-or'],
  [/\b(analys|catalys|paralys)(e|es|ed|ing)\b/i, '-yze'],
  [/\b(cancel|label|model|signal|travel|channel|level|total|tunnel|marshal|initial)l(ed|ing|er|ers)\b/i, 'one l'],
  [/\b(licence|defence|offence|pretence)s?\b/i, '-ense'],
  [/\b(centre|metre|litre|fibre|theatre)[sd]?\b/i, '-er'],
  [/\b(fulfil|enrol|instal|skilful|wilful)s?\b/i, 'two l'],
  [/\b(learnt|spelt|burnt|dreamt|leapt)\b/i, '-ed'],
  [/\b(judgement|acknowledgement)s?\b/i, '-gment'],
  [/\b(cheque|grey|artefact|ageing|per cent|practise|practised|towards|tyre)s?\b/i, 'American spelling'],
]

const bannedIdentifier = /^(most|longest|least|usual)(?=[A-Z_]|$)|^(MOST|LONGEST|LEAST|USUAL)_|^(un)?told(?=[A-Z_]|$)/

/** Returns the sentences of a passage, each as its words. */
function sentencesOf(words: readonly Word[]): Word[][] {
  const sentences: Word[][] = []
  let sentence: Word[] = []
  for (const [index, word] of words.entries()) {
    sentence.push(word)
    const next = words[index + 1]?.text ?? ''
    if (/[.!?]["')`*_]*$/.test(word.text) && !/^\p{Ll}/u.test(next)) {
      sentences.push(sentence)
      sentence = []
    }
  }
  return sentence.length > 0 ? [...sentences, sentence] : sentences
}

/** The contract fixes these sentences. */
const declineReasons = /\b(Card is|Account) cancelled\b/g

/** Returns the text without code, quotations and addresses, in which no rule looks for words. */
function prose(words: readonly Word[]): string {
  const text = words.map(({ text }) => text).join(' ')
  return text
    .replaceAll(/`[^`]*`/g, 'CODE')
    .replaceAll(/"[^"]*"/g, 'QUOTE')
    .replaceAll(/\]\([^)]*\)/g, ']')
    .replaceAll(/https?:\S+/g, 'URL')
    .replaceAll(declineReasons, 'QUOTE')
}

/** Arrows, signs and dashes that stand alone are no words. A code span is one word, however many it has. */
const wordCount = (text: string) => text.split(' ').filter((word) => /[\p{L}\d]/u.test(word)).length

/** Returns the findings of all rules in a passage. */
export function check({ kind, words }: Passage): Finding[] {
  const findings: Finding[] = []
  const text = words.map((word) => word.text).join(' ')
  const line = words[0]?.line ?? 0
  if (kind === 'identifier') {
    const found = bannedIdentifier.exec(text)?.[0]
    return found === undefined ? [] : [{ line, rule: `"${found}" in a name: use the words of the glossary`, text }]
  }
  if (kind === 'test title') {
    if (/^(case|fault|abuse|step) \d+/i.test(text)) findings.push({ line, rule: 'use a tag, not a number', text })
    const isData = /^[%$]\S+$/.test(text)
    if (!isData && wordCount(text) < minTitleWords)
      findings.push({ line, rule: 'a title is a complete statement', text })
  }
  for (const sentence of sentencesOf(words)) findings.push(...checkSentence(sentence))
  return findings
}

function checkSentence(words: readonly Word[]): Finding[] {
  const text = prose(words)
  const findings: Finding[] = []
  const add = (rule: string, found = '') => {
    const word = words.find((word) => found !== '' && word.text.includes(found.split(' ')[0] ?? found)) ?? words[0]
    findings.push({ line: word?.line ?? 0, rule, text: words.map((word) => word.text).join(' ') })
  }
  const begin = text.replace(/^[^\p{L}]+/u, '')
  if (clauseSubject.test(begin) && !text.endsWith('?')) add('begin with a noun or a verb, not with a clause')
  const count = wordCount(text)
  if (count > maxWords) add(`${count} words; use at most ${maxWords}, better 20`)
  for (const [pattern, instead] of phrases) {
    const found = pattern.exec(text)
    if (found !== null) add(`"${found[0]}": ${instead}`, found[0])
  }
  for (const [pattern, instead] of british) {
    const found = pattern.exec(text)
    if (found !== null) add(`"${found[0]}" is British: ${instead}`, found[0])
  }
  return findings
}
