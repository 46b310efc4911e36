-- One use of the random part, so that it is inlined; a call costs 200 µs. The last 15 hexadecimal digits are random.
CREATE FUNCTION release.new_inbox_event_id(p_ms bigint) RETURNS text LANGUAGE sql VOLATILE AS $$
  SELECT 'ev_' || substr('0123456789abcdefghijklmnopqrstuvwxyz', (p_ms / 101559956668416 % 36)::integer + 1, 1)
    || substr('0123456789abcdefghijklmnopqrstuvwxyz', (p_ms / 2821109907456 % 36)::integer + 1, 1)
    || substr('0123456789abcdefghijklmnopqrstuvwxyz', (p_ms / 78364164096 % 36)::integer + 1, 1)
    || substr('0123456789abcdefghijklmnopqrstuvwxyz', (p_ms / 2176782336 % 36)::integer + 1, 1)
    || substr('0123456789abcdefghijklmnopqrstuvwxyz', (p_ms / 60466176 % 36)::integer + 1, 1)
    || substr('0123456789abcdefghijklmnopqrstuvwxyz', (p_ms / 1679616 % 36)::integer + 1, 1)
    || substr('0123456789abcdefghijklmnopqrstuvwxyz', (p_ms / 46656 % 36)::integer + 1, 1)
    || substr('0123456789abcdefghijklmnopqrstuvwxyz', (p_ms / 1296 % 36)::integer + 1, 1)
    || substr('0123456789abcdefghijklmnopqrstuvwxyz', (p_ms / 36 % 36)::integer + 1, 1)
    || substr('0123456789abcdefghijklmnopqrstuvwxyz', (p_ms / 1 % 36)::integer + 1, 1)
    || substr(replace(gen_random_uuid()::text, '-', ''), 18)
$$;
