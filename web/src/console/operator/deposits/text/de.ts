import type { DepositMessages } from './en.ts'

export const deposits = {
  title: 'Einzahlungen',
  lead: 'Die ältesten zuerst.',
  filter: 'Zustand',
  states: { depositsFrozen: 'Abgelehnt', depositsWaiting: 'In Bearbeitung', arrivalsUnknown: 'Unbekannter Eingang' },
  emptyTitles: {
    depositsFrozen: 'Keine abgelehnte Einzahlung wartet',
    depositsWaiting: 'Keine Einzahlung ist in Bearbeitung',
    arrivalsUnknown: 'Der Eingang jeder Überweisung ist bekannt',
  },
  emptyTexts: {
    depositsFrozen:
      'Eine Einzahlung erscheint hier, wenn das Screening sie ablehnt. Sie kann dann zurückgezahlt werden.',
    depositsWaiting: 'Eine Einzahlung erscheint hier, bis ihr Block endgültig ist und sie geprüft ist.',
    arrivalsUnknown: 'Eine Überweisung erscheint hier, wenn kein Node weiß, wie viel davon eingegangen ist.',
  },
  user: 'Nutzer',
  amount: 'Betrag',
  from: 'Absender',
  transaction: 'Transaktion',
  chainOf: (chainId) => `Chain ${chainId}`,
  screening: 'Screening',
  risk: (tier, score) => `Risiko ${tier}, ${score}`,
  id: 'Einzahlung',
  action: 'Aktion',
  statuses: { pending: 'In Bearbeitung', approved: 'Gutgeschrieben', rejected: 'Abgelehnt' },
  status: 'Status',
  chainStates: { unfinal: 'Nicht endgültig', final: 'Endgültig', reorganized: 'Reorganisiert' },
  screenings: { pending: 'Ausstehend', approved: 'Genehmigt', rejected: 'Abgelehnt' },
  returns: { signed: 'Rückzahlung beauftragt', returned: 'Zurückgezahlt' },
  giveBack: 'Zurückzahlen',
  declare: 'Eingang angeben',
  declareText:
    'Geben Sie an, wie viel von der Überweisung an der Einzahlungsadresse eingegangen ist. Sehen Sie zuerst im Explorer nach.',
  declared: 'Eingegangener Betrag',
  declaredInvalid: 'Geben Sie einen Betrag wie 12,5 ein, ohne Tausenderpunkte.',
  declaredHint: (symbol) => `In ${symbol}, zum Beispiel 12,5. Geben Sie 0 ein, wenn nichts eingegangen ist.`,
  next: 'Weiter',
} satisfies DepositMessages
