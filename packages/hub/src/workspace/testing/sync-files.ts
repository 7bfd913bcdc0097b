import * as fs from 'node:fs'

// The promises of Node hand each operation to another thread and back, which takes ten times as long as the operation.
// A test of many thousands of them, one after the other, has the same operations done at once.

type Open = { readonly fd: number }

const handleMethods = {
  stat: ({ fd }: Open, options?: fs.StatOptions) => fs.fstatSync(fd, options),
  read: ({ fd }: Open, buffer: Buffer) => ({ bytesRead: fs.readSync(fd, buffer), buffer }),
  readFile: ({ fd }: Open) => fs.readFileSync(fd),
  writeFile: ({ fd }: Open, bytes: Uint8Array) => fs.writeFileSync(fd, bytes),
  chmod: ({ fd }: Open, mode: number) => fs.fchmodSync(fd, mode),
  chown: ({ fd }: Open, uid: number, gid: number) => fs.fchownSync(fd, uid, gid),
  sync: ({ fd }: Open) => fs.fsyncSync(fd),
  close: ({ fd }: Open) => fs.closeSync(fd),
}

/** In place of `node:fs/promises`, for what this feature uses of it. */
export const syncFiles = {
  ...asyncOf({
    chmod: fs.chmodSync,
    lchown: fs.lchownSync,
    lstat: fs.lstatSync,
    mkdir: fs.mkdirSync,
    mkdtemp: fs.mkdtempSync,
    readFile: fs.readFileSync,
    readdir: fs.readdirSync,
    readlink: fs.readlinkSync,
    realpath: fs.realpathSync.native,
    rename: fs.renameSync,
    rm: fs.rmSync,
    rmdir: fs.rmdirSync,
    stat: fs.statSync,
    unlink: fs.unlinkSync,
    writeFile: fs.writeFileSync,
  }),
  open: async (path: string, flags: string | number, mode?: number) => {
    const handle = { fd: fs.openSync(path, flags, mode) }
    const methods: Record<string, (open: Open, ...args: never[]) => unknown> = handleMethods
    const bound = Object.entries(methods).map(([name, method]) => [
      name,
      async (...args: never[]) => method(handle, ...args),
    ])
    return { ...handle, ...Object.fromEntries(bound) }
  },
}

function asyncOf(functions: Record<string, (...args: never[]) => unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(functions).map(([name, work]) => [name, async (...args: never[]) => work(...args)]),
  )
}
