/**
 * A tool, resource or prompt as a list of its server has it. Nobody changes one in place: it remembers the text that its
 * server wrote (`json/json-text.ts`), and its hash is remembered by its identity.
 */
export type Descriptor = Readonly<Record<string, unknown>>
