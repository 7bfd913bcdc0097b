// Rotates both keys in turn for as long as it lives, the given one first, while it also edits a secret, and says what was
// acknowledged.
import { createLog } from '../../platform/log.ts'
import { openStore } from '../../platform/store/store.ts'
import { openSealedHub } from './sealed-hub.ts'

const [first, stateHome = '', databaseUrl] = process.argv.slice(2)
const store = await openStore({ stateHome, databaseUrl, log: createLog('warn') })
const { secrets, rotation } = await openSealedHub(stateHome, store.db)
rotation.start()
void (async () => {
  await rotation.settled()
  for (let isMaster = first === 'master'; ; isMaster = !isMaster) {
    process.stdout.write('rotating\n')
    await rotation.rotate({ master: isMaster })
  }
})()

const edited = (await secrets.loadAll()).find(({ name }) => name === 'edited')!
for (let value = Number(edited.value) + 1; ; value++) {
  await secrets.setValue(edited, String(value))
  process.stdout.write(`set ${value}\n`)
}
