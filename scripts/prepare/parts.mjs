/** What is built: the sources that a part is made of, and the last file that its build writes. */
export const parts = {
  contract: {
    inputs: ['packages/contract/src', 'packages/contract/package.json', 'packages/contract/tsconfig.json'],
    output: 'packages/contract/dist/index.js',
  },
  framework: {
    inputs: ['packages/framework/src', 'packages/framework/package.json', 'packages/framework/tsconfig.json'],
    output: 'packages/framework/dist/index.js',
  },
  'create-herma-server': {
    inputs: ['src', 'package.json', 'tsconfig.json'].map((path) => `packages/create-herma-server/${path}`),
    output: 'packages/create-herma-server/dist/cli.js',
  },
  hub: {
    inputs: [
      'packages/hub/src',
      'packages/hub/package.json',
      'packages/contract/src',
      'packages/framework/src',
      'bundles',
    ],
    output: 'packages/hub/dist/herma.js',
  },
  web: {
    inputs: ['src', 'public', 'index.html', 'vite.config.ts', 'package.json'].map((path) => `packages/web/${path}`),
    output: 'packages/hub/dist/web/index.html',
  },
}

/** @typedef {keyof typeof parts} Part */

export const partNames = /** @type {Part[]} */ (Object.keys(parts))
