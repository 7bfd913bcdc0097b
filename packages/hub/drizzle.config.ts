import { defineConfig } from 'drizzle-kit'

// After a change of a table: npx drizzle-kit generate --name what-changed (in packages/hub).
export default defineConfig({ dialect: 'postgresql', schema: './src/**/table.ts', out: './migrations' })
