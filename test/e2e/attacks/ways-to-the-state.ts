/** Scripts of a shell by which a program might read the token of the operator, although the state home is hidden from it. */
export function waysToTheState(state: string): string[] {
  return [
    `cat '${state}/operator-token'`,
    `cat /proc/${process.pid}/root'${state}/operator-token'`,
    `cat /proc/${process.pid}/environ | tr '\\0' '\\n'`,
    `ls -l /proc/${process.pid}/fd /proc/${process.pid}/cwd/`,
    // Processes of root with fewer powers, and those of users that root can become.
    `for each in /proc/[0-9]*; do cat "$each/root${state}/operator-token" 2> /dev/null; done`,
    `for each in /proc/[0-9]*; do setpriv --reuid=65534 --inh-caps=+all --ambient-caps=+all cat "$each/root${state}/operator-token" 2> /dev/null; done`,
    `umount '${state}'; cat '${state}/operator-token'`,
    `umount -l '${state}'; cat '${state}/operator-token'`,
    `mkdir -p /tmp/herma-under-$$ && mount --bind / /tmp/herma-under-$$; cat /tmp/herma-under-$$'${state}/operator-token'; rmdir /tmp/herma-under-$$`,
    `nsenter --target ${process.pid} --mount cat '${state}/operator-token'`,
    `unshare --mount sh -c "umount '${state}'; cat '${state}/operator-token'"`,
    `unshare --user --map-root-user --mount sh -c "umount '${state}'; cat '${state}/operator-token'"`,
    `ls '${state}/postgres'`,
  ]
}
