import { expect, test } from './fixtures.ts'

const maxBytes = 200_000

for (const path of ['/console/playground', '/console/partner', '/console/operator', '/app/']) {
  test(`the first load of ${path} is at most 200 kB`, async ({ page, service }) => {
    const files = new Set<string>()
    page.on('request', (request) => {
      const { pathname } = new URL(request.url())
      if (/^\/(assets|console|app)\//.test(pathname)) files.add(pathname)
    })
    await page.goto(path)
    await page.waitForLoadState('networkidle')
    const sizes = [...files].map(async (file) => {
      const { headers } = await fetch(`${service.url}${file}`, { headers: { 'accept-encoding': 'gzip' } })
      return Number(headers.get('content-length'))
    })
    const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
    expect(bytes).toBeGreaterThan(100_000)
    expect(bytes).toBeLessThanOrEqual(maxBytes)
  })
}

test('pages are revalidated, hashed files are immutable and compressed, and / redirects a browser to the console', async ({
  service,
}) => {
  const page = await fetch(`${service.url}/console/playground`)
  expect(page.headers.get('cache-control')).toBe('no-cache')
  expect(page.headers.get('content-security-policy')).toContain("require-trusted-types-for 'script'")
  const [script = ''] = /\/assets\/[^"]+\.js/.exec(await page.text()) ?? []
  const file = await fetch(`${service.url}${script}`, { headers: { 'accept-encoding': 'br' } })
  expect(file.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  expect(file.headers.get('content-encoding')).toBe('br')
  const missing = await fetch(`${service.url}/assets/none.js`)
  expect(missing.status).toBe(404)
  const front = await fetch(`${service.url}/`, { redirect: 'manual', headers: { accept: 'text/html' } })
  expect(front.headers.get('location')).toBe('/console/')
})
