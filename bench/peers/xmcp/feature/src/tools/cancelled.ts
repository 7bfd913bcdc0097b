export const metadata = { name: 'cancelled', description: 'Whether wait was cancelled.' }
export default () => process.env.WAS_CANCELLED ?? 'false'
