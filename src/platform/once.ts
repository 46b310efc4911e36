/** What `make` answers, made when it is first asked for and kept from then on; made again only after it threw. */
export function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
