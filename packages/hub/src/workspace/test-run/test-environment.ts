/**
 * What tests find in their environment: of the hub's own only what tools need to run at all, since it may hold keys of
 * providers or the password of a database; then what the caller adds.
 */
export function testEnvironment(
  hub: NodeJS.ProcessEnv,
  added: Readonly<Record<string, string>>,
): Record<string, string> {
  const inherited = Object.entries(hub).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && inheritedNames.test(entry[0]),
  )
  return { ...Object.fromEntries(inherited), ...quiet, ...added }
}

const inheritedNames =
  /^(PATH|HOME|USER|LOGNAME|SHELL|TZ|LANG|LANGUAGE|LC_\w+|XDG_(CACHE|CONFIG|DATA)_HOME|NVM_\w+|VOLTA_HOME|FNM_\w+|PYENV_(ROOT|VERSION)|VIRTUAL_ENV|CONDA_PREFIX|JAVA_HOME|M2_HOME|MAVEN_HOME|GOPATH|GOROOT|GOCACHE|GOMODCACHE|CARGO_HOME|RUSTUP_HOME|RUSTUP_TOOLCHAIN|MIX_HOME|HEX_HOME|ERL_AFLAGS|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR))$/

// Nobody watches, and nothing is downloaded: what runs is what somebody installed here before.
const quiet = {
  CI: '1',
  TERM: 'dumb',
  NO_COLOR: '1',
  FORCE_COLOR: '0',
  PYTHONDONTWRITEBYTECODE: '1',
  GOPROXY: 'off',
  GOTOOLCHAIN: 'local',
  CARGO_NET_OFFLINE: 'true',
  HEX_OFFLINE: '1',
  npm_config_offline: 'true',
}
