type Value = string | number | boolean | undefined

/** Attributes in the form of OTLP; undefined ones are left out. */
export function attributesOf(values: Readonly<Record<string, Value>>): { key: string; value: object }[] {
  return Object.entries(values).flatMap(([key, value]) => (value === undefined ? [] : [{ key, value: valueOf(value) }]))
}

// A 64-bit integer is text in this form.
function valueOf(value: string | number | boolean): object {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}
