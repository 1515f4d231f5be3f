import { isIP } from 'node:net'
import { isAddress } from 'viem/utils'
import { isCountry } from '../lib/countries.ts'

type Format = { readonly requirement: string; readonly test: (text: string) => boolean }

/** The text formats of settings, which schemas name as `format`. `requirement` completes the sentence "must be …". */
export const formats = {
  address: {
    requirement: 'an address: 0x and 40 hex digits with a valid checksum',
    test: (text) => isAddress(text),
  },
  'private-key': { requirement: 'a private key: 0x and 64 hex digits', test: matches(/^0x[0-9a-fA-F]{64}$/) },
  'signing-key': {
    requirement: 'id:secret, where the secret has at least 32 characters and no comma',
    test: matches(/^[A-Za-z0-9_-]{1,64}:.{32,}$/),
  },
  'public-url': {
    requirement: 'an http or https URL without ? or #, because paths are appended to it',
    test: (text) => isHttp(text) && new URL(text).search + new URL(text).hash === '',
  },
  'node-url': {
    requirement: 'an http or https URL without a user name',
    test: (text) => isHttp(text) && new URL(text).username + new URL(text).password === '',
  },
  url: { requirement: 'a URL', test: (text) => URL.canParse(text) },
  'postgres-url': {
    requirement: 'a URL that begins with postgres:// or postgresql://',
    test: matches(/^postgres(ql)?:\/\//),
  },
  'contact-uri': {
    requirement: 'a contact such as mailto:security@example.com or https://example.com/security',
    test: matches(/^(mailto:[^\s@]+@[^\s@]+|https:\/\/[^\s]+|tel:\+[0-9-]+)$/),
  },
  mailbox: { requirement: 'one email address', test: matches(/^[^\r\n]*@[^\r\n]*$/) },
  country: { requirement: 'an ISO 3166 country code of two letters', test: isCountry },
  currency: { requirement: 'an ISO 4217 currency code of three letters', test: matches(/^[A-Z]{3}$/) },
  'minor-units': {
    requirement: "a string of digits, in the currency's minor unit",
    test: matches(/^[0-9]{1,30}$/),
  },
  'token-units': {
    requirement: "a string of digits above zero, in the token's unit",
    test: matches(/^[1-9][0-9]{0,59}$/),
  },
  'merchant-type': {
    requirement: 'a merchant category code of four digits, or a range such as 3351-3500',
    test: isMerchantType,
  },
  'ip-range': { requirement: 'an IP address, or a range such as 10.0.0.0/8', test: isIpRange },
} as const satisfies Readonly<Record<string, Format>>

function matches(pattern: RegExp): (text: string) => boolean {
  return (text) => pattern.test(text)
}

function isHttp(text: string): boolean {
  return URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol)
}

function isMerchantType(text: string): boolean {
  const [, first = '', last = first] = /^([0-9]{4})(?:-([0-9]{4}))?$/.exec(text) ?? []
  return first !== '' && first <= last
}

function isIpRange(text: string): boolean {
  const [, address = '', bits = '0'] = /^([^/]*)(?:\/([0-9]{1,3}))?$/.exec(text) ?? []
  return isIP(address) !== 0 && Number(bits) <= (isIP(address) === 6 ? 128 : 32)
}
