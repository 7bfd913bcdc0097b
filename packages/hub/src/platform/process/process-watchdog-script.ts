// POSIX shell, because nothing smaller is on every machine, and nothing of the hub may be needed once the hub is dead.
// Who was found is remembered together with its group, since a descendant whose parent has ended can no longer be found
// by descent, and its number alone may belong to another process by then.

/**
 * The program of the watchdog. It reads `+group` and `-group` lines; when the input ends, the groups that are left,
 * their sessions and all descendants have two seconds to leave by themselves, then get SIGTERM and at last SIGKILL.
 */
export const guardianScript = `
trap '' INT TERM HUP QUIT PIPE TSTP TTIN TTOU

groups=
while read -r line; do
  id=\${line#?}
  others=
  for group in $groups; do
    [ "$group" = "$id" ] || others="$others $group"
  done
  case $line in
    +*) groups="$others $id" ;;
    -*) groups=$others ;;
  esac
done

# One line for each process: its id, parent, group and session (0 where ps does not tell).
list() {
  if [ -r /proc/self/stat ]; then
    for folder in /proc/[0-9]*; do
      read -r stat < "$folder/stat" || continue
      set -f
      set -- \${stat##*) }
      set +f
      [ "$1" = Z ] || echo "\${folder#/proc/} $2 $3 $4"
    done
  else
    ps -A -o pid=,ppid=,pgid=,stat= | while read -r pid parent group state; do
      case $state in Z*) ;; *) echo "$pid $parent $group 0" ;; esac
    done
  fi
}

members=
find_members() {
  table=$(list)
  known="$members "
  members=
  grew=yes
  while [ "$grew" ]; do
    grew=
    while read -r pid parent group session; do
      case "$members " in *" $pid:$group "*) continue ;; esac
      case "$groups " in *" $group "* | *" $session "*) found=yes ;; *) found= ;; esac
      case "$known" in *" $pid:$group "*) found=yes ;; esac
      case "$members" in *" $parent:"*) found=yes ;; esac
      [ "$found" ] || continue
      members="$members $pid:$group"
      grew=yes
    done <<END
$table
END
  done
}

signal_members() {
  for member in $members; do
    kill -s "$1" "\${member%:*}"
  done
}

# Waits for two seconds, or shorter when nobody is left, and then ends this program.
leave() {
  for second in 1 2; do
    find_members
    [ "$members" ] || exit 0
    sleep 1
  done
  find_members
}

[ "$groups" ] || exit 0
leave
signal_members TERM
leave
signal_members KILL
# Those that were forked while we looked.
leave
signal_members KILL
`
