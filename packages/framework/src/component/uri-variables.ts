/**
 * The variables of a URI template (RFC 6570) as an object of strings; a URI without braces has none. Those of a query
 * (`{?q}`) may be left out of a URI, and are then undefined.
 */
export type UriVariables<Uri extends string> = Uri extends `${string}{${infer Expression}}${infer Rest}`
  ? Variables<Expression> & UriVariables<Rest>
  : unknown

type Variables<Expression extends string> = Expression extends `${'?' | '&'}${infer Query}`
  ? { readonly [Variable in Names<Query>]?: string }
  : { readonly [Variable in Names<WithoutOperator<Expression>>]: string }

type Names<List extends string> = List extends `${infer First},${infer Rest}` ? Name<First> | Names<Rest> : Name<List>
type Name<Text extends string> = Text extends `${infer Base}*`
  ? Base
  : Text extends `${infer Base}:${string}`
    ? Base
    : Text
type WithoutOperator<Text extends string> = Text extends `${'+' | '#' | '/' | '.' | ';'}${infer Rest}` ? Rest : Text
