/** Texts that look like secrets and are public: well-known test keys, and invented passwords of tests. */
export const allowed: readonly string[] = [
  // Accounts 0, 1, 8 and 9 of Anvil, whose mnemonic every Ethereum tool publishes.
  '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
  '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d',
  '0xdbda1821b80551c9d65939329250298aa3472ba22feea921c0cf5d620ea67b97',
  '0x2a871d0798f97d79848a013d4936a73bf4cc922c825d33c1cf7073dff6d409c6',
  // The key of the test KMS, and the key of the test certificate for localhost.
  '0x7f1d8c0c95fbd28a6bb6f8fdbbf4d8e5b1f0b5f1b2b7f2b67a8a2f7a9d1c3e55',
  'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgdRpGTR8jeq76K4WN',
  // Passwords in URLs that tests expect to be rejected or concealed.
  'https://user:password@localhost',
  'postgres://user:password-of-the-database@localhost/purser',
  'postgres://purser:secret@db.example/purser',
  'https://a:b@a.example/',
  'postgres://u:secret@127.0.0.1:1/none',
  'postgres://u:secret@nowhere.invalid/none',
  'https://me:secret@hooks.example.com/',
]
