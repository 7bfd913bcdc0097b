/** Files of which some are in every generation and some come and go; each says its generation. */
export function generationFiles(generation: number): Record<string, string> {
  const always = Array.from({ length: 6 }, (_, index) => `stays/${index % 2}/${index}.txt`)
  const sometimes = Array.from({ length: 4 }, (_, index) => `comes/${(generation + index) % 7}/and/goes.txt`)
  return Object.fromEntries([...always, ...sometimes].toSorted().map((path) => [path, `${generation} of ${path}`]))
}
