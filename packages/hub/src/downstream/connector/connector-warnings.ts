import { findSecrets, looksSecret, secretNamesIn, type Connector, type SecretFinding } from '@herma/contract'

/**
 * What may let a secret be seen, with the way out. It is said, not refused: it is a guess, and the person may know better.
 * A warning names the field and never the value.
 */
export function connectorWarnings(connector: Connector): string[] {
  const { args, notes, description, name } = connector
  const found = findSecrets(connector).filter(({ isSealed }) => !isSealed)
  const seen = args.flatMap((arg, index) =>
    secretNamesIn(arg).length > 0
      ? [
          `args[${index}]: everybody on the machine can read it in the list of processes. Prefer an environment variable.`,
        ]
      : [],
  )
  return [
    ...seen,
    ...new Set(found.map((finding) => warnOf(finding, name))),
    ...Object.entries({ notes, description }).flatMap(([field, text]) =>
      looksSecret(text)
        ? [`${field}: this looks like it holds a secret, and is stored and shown in clear. Take it out.`]
        : [],
    ),
  ]
}

function warnOf({ field, label }: SecretFinding, connector: string): string {
  const store = `tore it by name with: herma edit ${connector} --store-secrets`
  if (field === 'headers' || field === 'env')
    return `${label}: this looks like a secret in clear. Mark it as secret, or s${store}`
  return field === 'args'
    ? `${label}: this looks like a secret in clear. S${store}`
    : `${label}: this looks like it holds a secret in clear. S${store}`
}
