// Imported before all else by what people start first, so that an old Node says this and no syntax error.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(
    `Herma needs Node 20.19 or newer; this is Node ${process.versions.node}. Install a newer one and run the command again.\n`,
  )
  process.exit(1)
}
