/**
 * Returns a function that computes a value at its first call and keeps it. After an error the next call computes again.
 */
export function lazy<Value>(compute: () => Value): () => Value {
  let computed: { readonly value: Value } | undefined;
  return () => {
    computed ??= { value: compute() };
    return computed.value;
  };
}
