import { HubError } from '@herma/contract'

/** The program of a framework is not here; nothing is downloaded, so somebody has to install it. */
export function missingRunner(program: string, install: string): HubError {
  return new HubError(
    'TEST_RUNNER_NOT_FOUND',
    `'${program}' is neither in the workspace nor in PATH, and nothing is downloaded to run tests. ${install}`,
  )
}
