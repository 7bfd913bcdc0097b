import type { Isolation } from '@herma/contract'

/** What is to be started, as far as isolation asks. */
export interface Program {
  readonly name: string
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly workingDir: string
  readonly isolation: Isolation
}

/** What is started in its place. */
export interface Launch {
  readonly command: string
  readonly args: readonly string[]
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
  readonly uid?: number | undefined
  readonly gid?: number | undefined
  /** Takes away what the process itself does not take with it; may be called more than once. */
  end?(): Promise<void>
}

/** What a server needs of our environment to run at all; nothing that could be a secret of the hub. */
const inheritedNames =
  /^(PATH|HOME|USER|LOGNAME|SHELL|TERM|TMPDIR|TEMP|TMP|TZ|LANG|LC_\w+|XDG_\w+|NVM_\w+|VOLTA_\w+|FNM_\w+|PYENV_\w+|JAVA_HOME|GOPATH|GOROOT|CARGO_HOME|RUSTUP_HOME|NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|SSL_CERT_DIR|https?_proxy|HTTPS?_PROXY|no_proxy|NO_PROXY|npm_config_(?!.*(auth|token|password)).*|NPM_CONFIG_(?!.*(AUTH|TOKEN|PASSWORD)).*)$/

/** The environment that a server is started with. */
export function serverEnvironment(own: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => inheritedNames.test(name))
  return { ...Object.fromEntries(inherited), ...own }
}
