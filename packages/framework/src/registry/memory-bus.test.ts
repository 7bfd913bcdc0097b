import { describeBus } from './bus.contract.ts'
import { memoryBus } from './memory-bus.ts'

describeBus('memory', () => memoryBus())
