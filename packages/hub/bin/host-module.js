// Serves a module over stdio, for `herma server add NAME --module FILE`: one whose default export is a server of
// @herma/framework, or one that serves stdio by itself when it is read.
import { pathToFileURL } from 'node:url'

const [node, , module, ...rest] = process.argv
if (module === undefined) {
  process.stderr.write('Usage: node host-module.js MODULE [ARGS…]\n')
  process.exit(2)
}
// A module that asks whether it is the program that was started shall find that it is.
process.argv = [node, module, ...rest]
const { default: server } = await import(pathToFileURL(module).href)
if (typeof server?.stdio === 'function') await server.stdio()
