import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defaultClientConditions, defineConfig } from 'vite'

// Preact does all that these pages ask of React, in a tenth of its weight (docs/decisions/0023-the-browsers-own-controls.md).
// So `import … from 'react'` has the types of @types/react, and what runs is Preact. React itself lies in node_modules only
// because libraries name it as a peer; nothing loads it.
const preact = {
  'react-dom/client': 'preact/compat/client',
  'react-dom': 'preact/compat',
  'react/jsx-runtime': 'preact/jsx-runtime',
  react: 'preact/compat',
}

// The hub serves this page under a policy without inline scripts, styles or data: URLs, so nothing is inlined.
export default defineConfig({
  // The contract is read as source, so that this build waits for no other.
  resolve: { conditions: ['herma-source', ...defaultClientConditions], alias: preact },
  plugins: [react(), tailwindcss()],
  build: {
    assetsInlineLimit: 0,
    sourcemap: false,
    target: 'es2022',
    reportCompressedSize: false,
    chunkSizeWarningLimit: 900,
  },
  server: { host: '127.0.0.1', proxy: { '/api': 'http://127.0.0.1:4376' } },
})
