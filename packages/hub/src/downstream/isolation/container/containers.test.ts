import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { ContainerIsolation } from '@herma/contract'
import { expect, onTestFinished, test } from 'vitest'
import { installEngine } from '../../../../../../test/fixtures/container-engine/install-engine.ts'
import { createLog } from '../../../platform/log.ts'
import { createTemporaryHome } from '../../../platform/testing/temporary-home.ts'
import type { Launch } from '../launch.ts'
import { Containers } from './containers.ts'

const log = createLog('silent')

async function prepare(kinds: readonly ('docker' | 'podman')[] = ['docker']) {
  const engine = await installEngine(kinds)
  const home = await createTemporaryHome()
  onTestFinished(async () => {
    await engine[Symbol.asyncDispose]()
    await home.remove()
  })
  const stateHome = join(home.path, 'state')
  await mkdir(stateHome)
  return { engine, home, stateHome, containers: new Containers(stateHome, log) }
}

function program(isolation: object = {}) {
  return {
    name: 'echo',
    command: 'cat',
    args: [],
    env: {},
    workingDir: '/',
    isolation: ContainerIsolation.parse({ type: 'container', image: 'test/cat', ...isolation }),
  }
}

function start({ command, args, env, cwd }: Launch) {
  return spawn(command, [...args], { env, cwd, stdio: ['pipe', 'pipe', 'pipe'] })
}

test('a container is removed at the end, also when its client was killed', async () => {
  const { engine, containers } = await prepare()
  const launch = await containers.launch(program())
  const child = start(launch)
  child.stdin.write('hello\n')
  expect(String((await once(child.stdout, 'data'))[0])).toBe('hello\n')
  await expect.poll(() => engine.containers()).toHaveLength(1)
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect(await engine.containers()).toHaveLength(1)
  await Promise.all([launch.end!(), launch.end!()])
  expect(await engine.containers()).toEqual([])
  expect(engine.journal('rm')).toHaveLength(1)
})

test('what a hub left behind is removed before the first container, and what is of others stays', async () => {
  const { engine, containers, stateHome, home } = await prepare()
  const other = new Containers(join(home.path, 'other'), log)
  const left = start(await containers.launch(program()))
  const foreign = start(await other.launch(program()))
  onTestFinished(() => void foreign.kill('SIGTERM'))
  await expect.poll(() => engine.containers()).toHaveLength(2)
  left.kill('SIGKILL')
  const next = new Containers(stateHome, log)
  const launch = await next.launch(program())
  expect(await engine.containers()).toHaveLength(1)
  expect(engine.journal('ps').at(-1)!.found).toHaveLength(1)
  await next.removeLeftovers()
  expect(launch.command).toBe('docker')
})

test('Docker is asked first, Podman where Docker does not answer, and the one that the connector names', async () => {
  const both = await prepare(['docker', 'podman'])
  expect((await both.containers.launch(program())).command).toBe('docker')
  expect((await both.containers.launch(program({ engine: 'podman' }))).command).toBe('podman')
  const one = await prepare(['podman'])
  expect((await one.containers.launch(program())).command).toBe('podman')
  await expect(one.containers.launch(program({ engine: 'docker' }))).rejects.toThrow('docker does not answer')
})

test('where no engine answers, the connector says so and what to do', async () => {
  const { engine, containers } = await prepare()
  await engine.stopDaemon()
  await expect(containers.launch(program())).rejects.toThrow(
    "'echo' is to run in a container, and no engine for it answers here: docker does not answer (Cannot connect to the Docker daemon. Is the docker daemon running?); podman does not answer (not here). " +
      'Install Docker (https://docs.docker.com/get-docker) or Podman (https://podman.io) and start it, or do without: herma edit echo --isolation process',
  )
})

test('the engine is looked for once', async () => {
  const { engine, containers } = await prepare()
  await containers.launch(program())
  await engine.stopDaemon()
  expect((await containers.launch(program())).command).toBe('docker')
})

test('folders that lead to the state of the hub or out of the container are not mounted', async () => {
  const { containers, stateHome, home } = await prepare()
  await mkdir(join(stateHome, 'inner'))
  await symlink(stateHome, join(home.path, 'link'))
  const mount = (source: string) => containers.launch(program({ mounts: [{ source }] }))
  for (const source of [stateHome, join(stateHome, 'inner'), home.path, join(home.path, 'link')])
    await expect(mount(source)).rejects.toThrow('holds the state of the hub')
  for (const source of ['/proc', '/dev', '/run'])
    await expect(mount(source)).rejects.toThrow(/leads out of every container|holds the state/)
  await expect(mount(join(home.path, 'missing'))).rejects.toThrow('does not exist')
})

test('the real clients know every word that we say', async () => {
  const launch = await (
    await prepare()
  ).containers.launch(
    program({ mounts: [{ source: '/usr', target: '/data', writable: true }, { source: '/etc' }], network: 'bridge' }),
  )
  const path = (process.env['PATH'] ?? '').split(':').slice(1).join(':')
  // With no engine behind it a client still reads its command line first.
  const run = (words: readonly string[]) =>
    spawnSync('docker', words, {
      encoding: 'utf8',
      env: { PATH: path, HOME: '/nonexistent', DOCKER_HOST: 'unix:///nonexistent/docker.sock' },
    })
  if (run(['--version']).error !== undefined)
    return process.stderr.write('COULD NOT RUN: our words with the client of Docker, because docker is missing.\n')
  expect(run(launch.args).stderr).toMatch(/cannot connect|failed to connect/i)
  expect(run(['run', '--no-such-flag', 'image']).stderr).toMatch(/unknown flag/)
  return undefined
})
