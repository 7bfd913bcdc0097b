/** The variables of a URI template (RFC 6570) as an object of strings; a URI without braces has none. */
export type UriVariables<Uri extends string> = Uri extends `${string}{${infer Expression}}${infer Rest}`
  ? { readonly [Name in Names<WithoutOperator<Expression>>]: string } & UriVariables<Rest>
  : unknown

type Names<List extends string> = List extends `${infer First},${infer Rest}` ? Name<First> | Names<Rest> : Name<List>
type Name<Text extends string> = Text extends `${infer Base}*`
  ? Base
  : Text extends `${infer Base}:${string}`
    ? Base
    : Text
type WithoutOperator<Text extends string> = Text extends `${'+' | '#' | '/' | '?' | '&' | '.' | ';'}${infer Rest}`
  ? Rest
  : Text
