import type { Framework } from '../framework.ts'

export interface SampleProject {
  readonly files: Readonly<Record<string, string>>
  /** Where the failing test fails. */
  readonly failure: { readonly file: string; readonly line: number }
}

/** For each framework a project with a test that passes, one that fails and one that is skipped. */
export const sampleProjects: Readonly<Record<Exclude<Framework, 'maven'>, SampleProject>> = {
  vitest: {
    files: {
      'package.json': '{ "type": "module", "scripts": { "test": "vitest run" } }',
      'sum.test.ts': `import { expect, test } from 'vitest'
test('adds', () => expect(1 + 1).toBe(2))
test('fails', () => {
  expect(1 + 1).toBe(3)
})
test.skip('waits', () => {})
`,
    },
    failure: { file: 'sum.test.ts', line: 4 },
  },
  jest: {
    files: {
      'package.json': '{ "scripts": { "test": "jest" } }',
      'sum.test.js': `test('adds', () => expect(1 + 1).toBe(2))
test('fails', () => {
  expect(1 + 1).toBe(3)
})
test.skip('waits', () => {})
`,
    },
    failure: { file: 'sum.test.js', line: 3 },
  },
  node: {
    files: {
      'package.json': '{ "type": "module", "scripts": { "test": "node --test" } }',
      'sum.test.js': `import assert from 'node:assert/strict'
import { test } from 'node:test'
test('adds', () => assert.equal(1 + 1, 2))
test('fails', () => {
  assert.equal(1 + 1, 3)
})
test.skip('waits', () => {})
`,
    },
    failure: { file: 'sum.test.js', line: 5 },
  },
  pytest: {
    files: {
      'test_sum.py': `import pytest
def test_adds():
    assert 1 + 1 == 2
def test_fails():
    assert 1 + 1 == 3
@pytest.mark.skip
def test_waits():
    pass
`,
    },
    failure: { file: 'test_sum.py', line: 5 },
  },
  go: {
    files: {
      'go.mod': 'module example.com/sum\n\ngo 1.21\n',
      'part/sum_test.go': `package part

import "testing"

func TestAdds(t *testing.T)  {}
func TestFails(t *testing.T) { t.Fatal("1 + 1 is not 3") }
func TestWaits(t *testing.T) { t.Skip() }
`,
    },
    failure: { file: 'part/sum_test.go', line: 6 },
  },
  cargo: {
    files: {
      'Cargo.toml': '[package]\nname = "sum"\nversion = "0.1.0"\nedition = "2021"\n',
      'src/lib.rs': `#[cfg(test)]
mod tests {
    #[test]
    fn adds() {}
    #[test]
    fn fails() {
        assert_eq!(1 + 1, 3);
    }
    #[test]
    #[ignore]
    fn waits() {}
}
`,
    },
    failure: { file: 'src/lib.rs', line: 7 },
  },
  mix: {
    files: {
      'mix.exs': `defmodule Sum.MixProject do
  use Mix.Project
  def project, do: [app: :sum, version: "0.1.0"]
end
`,
      'test/test_helper.exs': 'ExUnit.start()\n',
      'test/sum_test.exs': `defmodule SumTest do
  use ExUnit.Case
  test "adds", do: assert 1 + 1 == 2
  test "fails" do
    assert 1 + 1 == 3
  end
  @tag :skip
  test "waits", do: :ok
end
`,
    },
    failure: { file: 'test/sum_test.exs', line: 5 },
  },
}
