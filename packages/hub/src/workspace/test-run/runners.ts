import { frameworks, type Framework } from './framework.ts'
import type { TestRunner } from './runner.ts'
import { cargoTest } from './runner/cargo-test.ts'
import { goTest } from './runner/go-test.ts'
import { jest } from './runner/jest.ts'
import { maven } from './runner/maven.ts'
import { mixTest } from './runner/mix-test.ts'
import { nodeTest } from './runner/node-test.ts'
import { pytest } from './runner/pytest.ts'
import { vitest } from './runner/vitest.ts'

const byFramework: Readonly<Record<Framework, TestRunner>> = {
  vitest,
  jest,
  node: nodeTest,
  pytest,
  go: goTest,
  cargo: cargoTest,
  mix: mixTest,
  maven,
}

/** In the order of `frameworks`. */
export const runners: readonly TestRunner[] = frameworks.map((framework) => byFramework[framework])
