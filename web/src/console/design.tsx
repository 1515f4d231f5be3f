import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useTitle } from '../lib/session.tsx'
import { Badge, Notice, Outcome } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { CodeBlock, CopyButton, CopyId, shortened } from '../ui/copy.tsx'
import { When } from '../ui/date.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Checkbox, Segments, SelectField, TextField } from '../ui/field.tsx'
import { Facts, PageHead } from '../ui/layout.tsx'
import { Money } from '../ui/money.tsx'
import { CardBadge } from '../ui/status.tsx'
import { useUiText } from '../ui/text.ts'
import { DataSections, StateSections } from './design-data.tsx'
import { address } from './design-samples.ts'
import { Section } from './design-section.tsx'
import { useText } from './text.ts'

/** Shows every token, component and state, so that a change can be checked in one place. */

const sizes = [
  ['text-3xl font-semibold tracking-tight', '40 / 48'],
  ['text-2xl font-semibold tracking-tight', '28 / 36'],
  ['text-xl font-semibold', '22 / 30'],
  ['text-lg', '17 / 26'],
  ['text-base', '15 / 24'],
  ['text-sm', '13 / 20'],
  ['text-xs', '12 / 18'],
] as const

const colors = [
  ['page', 'bg-page'],
  ['surface', 'bg-surface'],
  ['sunken', 'bg-sunken'],
  ['raised', 'bg-raised'],
  ['line', 'bg-line'],
  ['line-strong', 'bg-line-strong'],
  ['soft', 'bg-soft'],
  ['text', 'bg-text'],
  ['accent', 'bg-accent'],
  ['accent-strong', 'bg-accent-strong'],
  ['accent-tint', 'bg-accent-tint'],
  ['on-accent', 'bg-on-accent'],
  ['card', 'bg-card'],
  ['on-card', 'bg-on-card'],
  ['good', 'bg-good'],
  ['good-tint', 'bg-good-tint'],
  ['warn', 'bg-warn'],
  ['warn-tint', 'bg-warn-tint'],
  ['bad', 'bg-bad'],
  ['bad-tint', 'bg-bad-tint'],
  ['info', 'bg-info'],
  ['info-tint', 'bg-info-tint'],
  ['scrim', 'bg-scrim'],
] as const

const spaces = [
  ['4', 'w-1'],
  ['8', 'w-2'],
  ['12', 'w-3'],
  ['16', 'w-4'],
  ['24', 'w-6'],
  ['32', 'w-8'],
  ['48', 'w-12'],
  ['64', 'w-16'],
] as const

export function Design() {
  const { design: t } = useText()
  const ui = useUiText()
  useTitle(t.title)
  const [segment, setSegment] = useState('a')
  const [isOpen, setOpen] = useState(false)
  const [isOn, setOn] = useState(true)
  return (
    <>
      <PageHead title={t.title} text={t.lead} />
      <div className="gap-6 lg:columns-2">
        <Section title={t.type}>
          <ul className="grid grid-cols-1 gap-3">
            {sizes.map(([name, label]) => (
              <li key={name} className="flex items-baseline justify-between gap-6">
                <span className={`${name} min-w-0 truncate`}>{t.sample}</span>
                <span className="text-xs whitespace-nowrap text-soft tabular-nums">{label}</span>
              </li>
            ))}
          </ul>
        </Section>
        <Section title={t.colors}>
          <ul className="grid grid-cols-[repeat(auto-fill,minmax(7rem,1fr))] gap-3">
            {colors.map(([name, fill]) => (
              <li key={name}>
                <span className={`block h-12 rounded-md border border-line ${fill}`} />
                <span className="font-mono text-xs text-soft">{name}</span>
              </li>
            ))}
          </ul>
        </Section>
        <Section title={t.spacing}>
          <ul className="flex flex-wrap items-end gap-6">
            {spaces.map(([name, width]) => (
              <li key={name} className="grid justify-items-center gap-2 text-xs text-soft tabular-nums">
                <span className={`h-6 rounded-xs bg-accent ${width}`} />
                {name}
              </li>
            ))}
          </ul>
        </Section>
        <Section title={t.buttons}>
          <div className="flex flex-wrap gap-3">
            <Button>{ui.save}</Button>
            <Button look="secondary">{ui.cancel}</Button>
            <Button look="quiet">{ui.back}</Button>
            <Button look="danger">{ui.signOut}</Button>
            <Button isPending>{ui.save}</Button>
            <Button disabled>{ui.save}</Button>
            <Button look="secondary" size="sm">
              {ui.more}
            </Button>
          </div>
        </Section>
        <Section title={t.fields}>
          <TextField label={t.fieldLabel} hint={t.fieldHint} defaultValue="Groceries" />
          <TextField label={t.fieldLabel} error={t.fieldError} />
          <TextField label={t.fieldLabel} suffix="EUR" defaultValue="12.50" inputMode="decimal" />
          <SelectField label={ui.language} value="en" options={[{ value: 'en', label: 'English' }]} />
          <Checkbox label={t.sample} checked={isOn} onChange={(event) => setOn(event.currentTarget.checked)} />
          <Segments
            label={t.fields}
            value={segment}
            options={['a', 'b', 'c'].map((value) => ({ value, label: value.toUpperCase() }))}
            onPick={setSegment}
          />
        </Section>
        <Section title={t.badges}>
          <div className="flex flex-wrap gap-2">
            <Badge>{ui.words.transactions.cancelled}</Badge>
            <Badge tone="good">{ui.words.transactions.settled}</Badge>
            <Badge tone="warn">{ui.words.transactions.pending}</Badge>
            <Badge tone="bad">{ui.words.transactions.declined}</Badge>
            <Badge tone="info">{ui.words.withdrawals.processing}</Badge>
            <CardBadge status="blocked" />
          </div>
          <Outcome>
            <Notice tone="warn">{t.notice}</Notice>
          </Outcome>
        </Section>
        <Section title={t.data}>
          <Facts
            rows={[
              ['Money', <Money key="m" amount="123456789012345678901" decimals={18} currency="EUR" isCredit />],
              ['Date', <When key="d" at="2026-01-31T09:30:00.000Z" />],
              ['Id', <CopyId key="i" id={address} />],
              [
                'Link',
                <span key="l" className="inline-flex items-center gap-x-1.5">
                  <Link
                    to="/playground"
                    className="font-mono text-[0.8125rem] text-accent-strong underline-offset-4 hover:underline"
                  >
                    {shortened(address)}
                  </Link>
                  <CopyButton id={address} />
                </span>,
              ],
            ]}
          />
          <CodeBlock label="curl" code="curl -u simulator:sandbox http://localhost:8080/sandbox/clock" />
        </Section>
        <Section title={t.dialog}>
          <Button look="secondary" className="justify-self-start" onClick={() => setOpen(true)}>
            {t.openDialog}
          </Button>
          <Dialog
            isOpen={isOpen}
            onClose={() => setOpen(false)}
            title={t.dialog}
            text={t.sample}
            actions={<Button onClick={() => setOpen(false)}>{ui.close}</Button>}
          />
        </Section>
        <DataSections />
        <StateSections />
      </div>
    </>
  )
}
