import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defaultClientConditions, defineConfig } from 'vite'

// The hub serves this page under a policy without inline scripts, styles or data: URLs, so nothing is inlined.
export default defineConfig({
  // The contract is read as source, so that this build waits for no other.
  resolve: { conditions: ['herma-source', ...defaultClientConditions] },
  plugins: [react(), tailwindcss()],
  build: { assetsInlineLimit: 0, sourcemap: false, target: 'es2022', reportCompressedSize: false },
  server: { host: '127.0.0.1', proxy: { '/api': 'http://127.0.0.1:4376' } },
})
