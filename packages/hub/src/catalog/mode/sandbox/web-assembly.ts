/** The part of WebAssembly that the sandbox needs; the types of Node 20 leave it out. */
export const webAssembly = (globalThis as unknown as { WebAssembly: WebAssemblyApi }).WebAssembly

interface WebAssemblyApi {
  compile(bytes: Uint8Array): Promise<WebAssembly.Module>
  readonly Memory: new (size: { initial: number; maximum: number }) => object
}
