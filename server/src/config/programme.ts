import { Type } from 'typebox'
import { encryptedUrl } from './outbound.ts'
import { group, optional, setting } from './setting.ts'

export const programme = group('Programme', 'The name and logo that apps show. `GET /programme` returns them.', {
  programmeName: setting('PROGRAMME_NAME', {
    schema: Type.String({ minLength: 1, maxLength: 100, requirement: 'a text of at most 100 characters' }),
    default: 'Purser',
    about: 'The name of the programme, at most 100 characters.',
  }),
  programmeLogoUrl: optional('PROGRAMME_LOGO_URL', {
    schema: Type.String({ format: 'public-url', requirement: 'an http or https URL without ? or #' }),
    inProduction: encryptedUrl,
    about: 'The URL of the logo of the programme, an image.',
  }),
})
