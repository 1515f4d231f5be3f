import { fileURLToPath } from 'node:url'
import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { thirdPartyLicenses } from '../server/scripts/licenses.ts'

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))

/** The service that `npm run dev` forwards requests to. */
const service = process.env['SERVICE_URL'] ?? 'http://localhost:8080'

export default defineConfig({
  root: path('.'),
  plugins: [react(), tailwind(), thirdPartyLicenses()],
  resolve: { alias: { '@purser/client': path('../client/src/index.ts') } },
  build: {
    // The content security policy allows neither `data:` scripts nor inline code.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rollupOptions: { input: { app: path('app/index.html'), console: path('console/index.html') } },
  },
  server: {
    proxy: Object.fromEntries(
      ['/api', '/user', '/cards', '/pci', '/phone', '/terms', '/source-of-funds', '/email-verification', '/programme']
        .concat(['/sandbox', '/operator', '/partner', '/invitations'])
        .map((prefix) => [prefix, service]),
    ),
  },
})
