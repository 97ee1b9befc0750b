import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** Where `vite` on its own finds a control server while somebody works on the page. */
const server = process.env['LACHESIS_URL'] ?? 'http://127.0.0.1:8080';

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  resolve: { conditions: ['lachesis-source', 'module', 'browser', 'import', 'default'] },
  build: {
    target: 'es2024',
    // A file below this size would be written into another one as data, which the page's policy refuses.
    assetsInlineLimit: 0,
    // Its style would be a tag in the page.
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  server: {
    host: '127.0.0.1',
    proxy: Object.fromEntries(
      ['/v1', '/runs/', '/config', '/environments/', '/models/', '/health', '/lineage/', '/jobs', '/improvements'].map(
        (path) => [
          path,
          {
            target: server,
            bypass: ({ headers, url }) => (headers.accept?.includes('text/html') === true ? url : undefined),
          },
        ],
      ),
    ),
  },
});
