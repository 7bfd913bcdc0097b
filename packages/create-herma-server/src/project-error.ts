/** Something that whoever runs the command can mend; the message says how. */
export class ProjectError extends Error {
  override readonly name = 'ProjectError'
}
