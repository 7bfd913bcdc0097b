// Not part of any run of ours: summary-reporter.test.mjs runs vitest on these files.
export default { test: { include: ['*.sample.mjs'], retry: 1 } }
