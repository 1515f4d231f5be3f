import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { operatorDecisions } from '../../../cli/src/operator-table.ts'
import { readOpenApi } from '../../scripts/openapi-files.ts'
import { decisionRouteTable } from '../../src/operators/decision-route-table.ts'

/** Every operation has a person or a program that needs it: a screen, a command, or a reason in this list. */
const callers = {
  'a load balancer, Prometheus or a security researcher': [
    'health.getReadiness',
    'health.getMetrics',
    'health.getSecurityText',
  ],
  'a server that verifies access tokens itself': ['auth.getKeySet'],
  'the sessions of the client package, with which the pages and the command line sign in': [
    'auth.createToken',
    'operator.signIn',
  ],
  'the card processor': [
    'issuer.authorizations.send',
    'issuer.advices.send',
    'issuer.reversals.send',
    'issuer.refunds.send',
    'issuer.clearings.send',
    'issuer.cardEvents.send',
  ],
  'the screening and KYC providers': ['callbacks.receiveScreening', 'callbacks.receiveKyc'],
  'an integration that shows the terms before the sign-in. The app reads them from `terms.listAccepted`': [
    'terms.list',
  ],
  'an integration that polls one resource. The app shows the whole list, or the onboarding': [
    'account.get',
    'cards.get',
  ],
  'an integration that needs the lists of the contract. The app shows the statement, which has them all': [
    'deposits.list',
    'withdrawals.list',
    'withdrawals.get',
  ],
  'an auditor with the command line. The console shows the partner itself': ['operator.partners.listAudit'],
  'an older client: the alias of `withdrawals.create`': ['withdrawals.createAlias'],
  'an integration that prefills a form. The app shows no phone number': ['phone.get'],
  'the tests of an integration, for states that the programme causes in production': [
    'sandbox.users.update',
    'sandbox.cards.block',
    'sandbox.cards.unblock',
    'sandbox.cards.setStatus',
  ],
} as const satisfies Readonly<Record<string, readonly string[]>>

const root = join(import.meta.dirname, '../../..')

type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId?: string }>>>>
}
const { paths }: Document = JSON.parse(readOpenApi())
const operations = Object.values(paths).flatMap((methods) =>
  Object.values(methods).flatMap(({ operationId }) => operationId ?? []),
)

/** The calls in the sources, without the line breaks before their dots. */
const calls = new Set(
  globSync(['web/src/**/*.{ts,tsx}', 'cli/src/**/*.ts'], { cwd: root }).flatMap((file) =>
    [
      ...readFileSync(join(root, file), 'utf8')
        .replaceAll(/\s*\n\s*\./g, '.')
        .matchAll(/\b(?:purser|owner)\??\.((?:\w+\.)*\w+)\b/g),
    ].map(([, name = '']) => name),
  ),
)

test('every operation is used by a screen or a command, or has another known caller', () => {
  expect(operations.length).toBeGreaterThan(150)
  // The command line and the console send each decision to `POST /operator/proposals`, from one table of commands.
  const decisions = decisionRouteTable
    .filter((row) => operatorDecisions.some(({ command }) => command === row.command))
    .map(({ operationId }): string => operationId)
  const unused = operations.filter((operation) => !calls.has(operation) && !decisions.includes(operation))
  expect(unused.toSorted()).toEqual(Object.values(callers).flat().toSorted())
})
