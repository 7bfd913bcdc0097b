import { describe, expect, onTestFinished, test } from 'vitest'
import { type Events, on } from '../telemetry/events.ts'
import type { Bus } from './registry.ts'

let count = 0
const patience = { timeout: 10_000 }

/** What every bus promises. `open` runs inside each test; the buses that it returns may be connected. */
export function describeBus(name: string, open: () => Bus | Promise<Bus>): void {
  const newTopic = () => `topic-${(count += 1)}-${process.pid}`

  const listen = async (bus: Bus, topic: string) => {
    const heard: string[] = []
    const end = await bus.subscribe(topic, (message) => heard.push(message))
    onTestFinished(end)
    return { heard, end }
  }

  describe(`the ${name} bus`, () => {
    test('brings each message to every receiver of its topic, in order', async () => {
      const bus = await open()
      const topic = newTopic()
      const [one, two, other] = [await listen(bus, topic), await listen(bus, topic), await listen(bus, newTopic())]
      const messages = Array.from({ length: 50 }, (_, index) => `${index} a\0b å😀`)
      for (const message of messages) await bus.publish(topic, message)
      await expect.poll(() => one.heard, patience).toEqual(messages)
      await expect.poll(() => two.heard, patience).toEqual(messages)
      expect(other.heard).toEqual([])
    })

    test('a receiver does not run inside of publish', async () => {
      const bus = await open()
      const topic = newTopic()
      const { heard } = await listen(bus, topic)
      const published = bus.publish(topic, 'x')
      expect(heard).toEqual([])
      await published
      await expect.poll(() => heard, patience).toEqual(['x'])
    })

    test('the same function may be subscribed twice and ended once', async () => {
      const bus = await open()
      const topic = newTopic()
      const heard: string[] = []
      const receive = (message: string) => void heard.push(message)
      const endFirst = await bus.subscribe(topic, receive)
      onTestFinished(await bus.subscribe(topic, receive))
      await bus.publish(topic, 'both')
      await expect.poll(() => heard, patience).toEqual(['both', 'both'])
      endFirst()
      endFirst()
      await bus.publish(topic, 'one')
      await expect.poll(() => heard, patience).toEqual(['both', 'both', 'one'])
    })

    test('an ended subscription hears nothing, not even what was on its way', async () => {
      const bus = await open()
      const topic = newTopic()
      const [ended, witness] = [await listen(bus, topic), await listen(bus, topic)]
      const published = bus.publish(topic, 'on its way')
      ended.end()
      await published
      await bus.publish(topic, 'later')
      await expect.poll(() => witness.heard, patience).toEqual(['on its way', 'later'])
      expect(ended.heard).toEqual([])
    })

    test.each<[string, () => unknown]>([
      ['throws', fail],
      ['rejects', async () => fail()],
    ])('a receiver that %s stops nobody else and is reported', async (_, receive) => {
      const bus = await open()
      const topic = newTopic()
      const errors: Events['mcp.error'][] = []
      onTestFinished(on('mcp.error', (event) => errors.push(event)))
      onTestFinished(await bus.subscribe(topic, receive))
      const { heard } = await listen(bus, topic)
      await bus.publish(topic, 'one')
      await bus.publish(topic, 'two')
      await expect.poll(() => heard, patience).toEqual(['one', 'two'])
      await expect
        .poll(() => errors.map((event) => event.error), patience)
        .toEqual([new Error('broken'), new Error('broken')])
    })

    test('a message to nobody is no error', async () => {
      const bus = await open()
      expect(await bus.publish(newTopic(), 'x')).toBeUndefined()
    })
  })
}

function fail(): never {
  throw new Error('broken')
}
