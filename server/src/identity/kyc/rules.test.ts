import { expect, test } from 'vitest'
import { secondsToNextPoll } from './rules.ts'

const day = 86_400

test('an applicant under review is polled every hour, however long ago it was created', () => {
  expect(secondsToNextPoll('pending', 0)).toBe(3600)
  expect(secondsToNextPoll('processing', 400 * day)).toBe(3600)
})

test('applicants that are not under review are polled daily at first, then ever more rarely, but at least every 30 days', () => {
  for (const status of ['notStarted', 'approved', 'rejected'] as const) {
    expect(secondsToNextPoll(status, 0)).toBe(day)
    expect(secondsToNextPoll(status, 10 * day)).toBe(day)
    expect(secondsToNextPoll(status, 100 * day)).toBe(10 * day)
    expect(secondsToNextPoll(status, 3000 * day)).toBe(30 * day)
  }
})
