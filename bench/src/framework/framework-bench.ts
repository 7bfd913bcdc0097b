import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { describeMachine } from '../machine/describe-machine.ts'
import { watchOtherWork } from '../machine/other-work.ts'
import { stopAllProcesses } from '../machine/start-process.ts'
import { makeTemporaryFolder, removeTemporaryFolder } from '../machine/temporary-folder.ts'
import { installPeers } from '../target/install-peers.ts'
import { installXmcp } from './build-xmcp.ts'
import { servesStdio, type Contender } from './contender.ts'
import { judgeFramework } from './framework-goals.ts'
import { FRAMEWORK_HELP, parseFrameworkOptions, type FrameworkOptions } from './framework-options.ts'
import { benchPath, repositoryPath } from './framework-path.ts'
import { BASE, OURS, type FrameworkResults } from './framework-results.ts'
import { placePrograms } from './launch.ts'
import { measureHello } from './measure-hello.ts'
import { measureInstall } from './measure-install.ts'
import { loadCases, measureLoad } from './measure-load.ts'
import { measureMemory } from './measure-memory.ts'
import { measureStart } from './measure-start.ts'
import { probeFeatures } from './probe/probe-features.ts'
import { renderComparison, renderFrameworkPage, renderFrameworkText } from './render-framework.ts'

const say = (line: string) => process.stdout.write(`${line}\n`)

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => void stopAllProcesses().then(() => process.exit(1)))
}

try {
  process.exitCode = await runBench(process.argv.slice(2))
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exitCode = 1
} finally {
  await stopAllProcesses()
}

async function runBench(args: string[]): Promise<number> {
  const options = parseFrameworkOptions(args)
  if (options === 'help') {
    say(FRAMEWORK_HELP)
    return 0
  }
  await installPeers(say)
  await installXmcp(say)
  placePrograms()
  const results = await measureAll(options)
  mkdirSync(benchPath('results'), { recursive: true })
  writeFileSync(benchPath('results/framework.json'), JSON.stringify(results, null, 2))
  say(renderFrameworkText(results))
  if (options.writesReports) {
    writeFileSync(benchPath('FRAMEWORK.md'), renderFrameworkPage(results))
    writeFileSync(repositoryPath('docs/comparison.md'), renderComparison(results))
  }
  const isBroken = results.omissions.some(({ contender }) => contender === OURS || contender === BASE)
  return isBroken || judgeFramework(results).some(({ verdict }) => verdict === 'FAILS') ? 1 : 0
}

async function measureAll(options: FrameworkOptions): Promise<FrameworkResults> {
  const { contenders, parts, rounds, starts, measureMs } = options
  const cwd = await makeTemporaryFolder('framework')
  const otherWork = watchOtherWork()
  const results: FrameworkResults = {
    machine: describeMachine(),
    otherWork: 0,
    rounds,
    starts,
    measureMs,
    contenders: contenders.map(({ name, main, note, packages }) => ({
      name,
      main,
      note,
      version: versionOf(main, packages),
    })),
    load: [],
    startTurns: [],
    hellos: [],
    memories: [],
    installs: [],
    findings: [],
    omissions: [],
  }
  const each = async (what: string, work: (contender: Contender) => Promise<void>, among = contenders) => {
    for (const contender of among) {
      if (results.omissions.some((omission) => omission.contender === contender.name && omission.what === what))
        continue
      try {
        await work(contender)
      } catch (error) {
        const reason = (error as Error).message
        results.omissions.push({ contender: contender.name, what, reason })
        say(`  NOT MEASURED: ${contender.name}, ${what}: ${reason.split('\n')[0]}`)
      }
    }
  }
  try {
    if (parts.includes('hello')) {
      say('Hello worlds …')
      await each('hello world', async (contender) => void results.hellos.push(await measureHello(contender, cwd)))
    }
    if (parts.includes('features')) {
      say('Features …')
      await each('features', async (contender) => void results.findings.push(...(await probeFeatures(contender, cwd))))
    }
    if (parts.includes('start')) {
      for (let round = 0; round < starts; round++) {
        say(`Cold starts, round ${round + 1} of ${starts} …`)
        const start = async (contender: Contender) => {
          const turn = await measureStart(contender, cwd)
          results.startTurns.push({ contender: contender.name, round, ...turn })
        }
        await each('cold start', start, rotate(contenders.filter(servesStdio), round))
      }
    }
    if (parts.includes('load')) {
      for (let round = 0; round < rounds; round++) {
        for (const load of loadCases) {
          const what = `${load.way}, ${load.tools} tools`
          say(`Round ${round + 1} of ${rounds}: ${what} …`)
          const turn = async (contender: Contender) => {
            const measured = await measureLoad(contender, load, { ...options, cwd })
            results.load.push({ contender: contender.name, round, ...measured })
          }
          await each(
            what,
            turn,
            rotate(
              contenders.filter(({ ways }) => ways.includes(load.way)),
              round,
            ),
          )
        }
      }
    }
    if (parts.includes('memory')) {
      say('Memory …')
      await each('memory', async (contender) => void results.memories.push(await measureMemory(contender, cwd)))
    }
    if (parts.includes('install')) {
      say('Installations …')
      await each('installation', async (contender) => void results.installs.push(await measureInstall(contender)))
    }
  } finally {
    await removeTemporaryFolder(cwd)
  }
  results.otherWork = otherWork()
  return results
}

/** Each round begins with another contender, so that none is always the one after a slow one. */
function rotate<Item>(items: Item[], by: number): Item[] {
  const at = items.length === 0 ? 0 : by % items.length
  return [...items.slice(at), ...items.slice(0, at)]
}

function versionOf(main: string, packages: Record<string, string>): string {
  const version = packages[main] ?? ''
  if (version !== 'packed') return version
  return (JSON.parse(readFileSync(repositoryPath('packages/framework/package.json'), 'utf8')) as { version: string })
    .version
}
