import type { ReviewMessages } from './en.ts'

export const reviews = {
  title: 'Prüffälle',
  lead: 'Kartenzahlungen, die gebucht sind, aber falsch aussehen, und Nachrichten, die auf eine andere warten. Die ältesten zuerst.',
  emptyTitle: 'Nichts zu prüfen',
  emptyText: 'Eine Kartenzahlung erscheint hier zum Beispiel, wenn sie ohne Autorisierung verbucht wurde.',
  subject: 'Zu prüfen',
  status: 'Status',
  amount: 'Betrag',
  wholeAmount: 'Ganzer Betrag',
  user: 'Nutzer',
  since: 'Wartet seit',
  action: 'Aktion',
  close: 'Abschließen',
  closeReview: 'Prüffall abschließen',
  needed:
    'Diese Kartenzahlung muss geprüft werden. Prüfen Sie Nachrichten und Buchungen, und schließen Sie dann den Prüffall ab.',
} satisfies ReviewMessages
